internal import Apus
internal import ApusCore
internal import HTTPTypes

/// The common settings of request serializers, in an archive.
struct ArchivedRequestSettings: Codable, Hashable {
    private let headers: [[String]]
    private let methodsWithQuery: [String]
    private let timeoutInterval: Duration?
    private let deadline: Duration?

    init(_ settings: AFHTTPRequestSettings) throws(ApusError) {
        guard settings.queryStringSerialization == nil else {
            throw ApusError(
                .invalidConfiguration,
                "a closure that serializes queries can't be archived; remove it, and set it on the restored manager"
            )
        }
        self.headers = settings.httpRequestHeaders.map { [$0.name.rawName, $0.value] }
        self.methodsWithQuery = settings.httpMethodsEncodingParametersInURI.map(\.rawValue).sorted()
        self.timeoutInterval = settings.timeoutInterval
        self.deadline = settings.deadline
    }

    func applied<Serializer: AFHTTPRequestSerialization>(to base: Serializer) throws(ApusError) -> Serializer {
        let methods = methodsWithQuery.compactMap { HTTPRequest.Method($0) }
        guard methods.count == methodsWithQuery.count else { throw .archived("an invalid method") }
        guard timeoutInterval ?? .zero >= .zero, deadline ?? .zero >= .zero else {
            throw .archived("a negative time")
        }
        var serializer = base
        serializer.httpRequestHeaders = try HTTPFields(archived: headers)
        serializer.httpMethodsEncodingParametersInURI = Set(methods)
        serializer.timeoutInterval = timeoutInterval
        serializer.deadline = deadline
        return serializer
    }
}
