internal import Apus
internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// The common settings of request serializers, in an archive.
struct ArchivedRequestSettings: Codable, Hashable {
    private let headers: [[String]]
    private let methodsWithQuery: [String]
    private let stringEncoding: String
    private let timeoutInterval: Duration?
    private let deadline: Duration?
    private let handlesCookies: Bool?

    init(_ settings: AFHTTPRequestSettings) throws(ApusError) {
        guard settings.queryStringSerialization == nil else {
            throw ApusError(
                .invalidConfiguration,
                "a closure that serializes queries can't be archived; remove it, and set it on the restored manager"
            )
        }
        guard let encoding = TextEncoding.labels[settings.stringEncoding] else {
            throw ApusError(
                .invalidConfiguration,
                "the encoding \(settings.stringEncoding) can't be archived; set .utf8"
            )
        }
        var others = settings.options
        if settings.deadline != nil { others[RequestDeadline.self] = nil }
        others[CookieHandling.self] = nil
        guard others.isEmpty else {
            throw ApusError(
                .invalidConfiguration,
                "the options of a serializer can't be archived; remove them, and set them on the restored manager"
            )
        }
        self.headers = settings.httpRequestHeaders.map { [$0.name.rawName, $0.value] }
        self.methodsWithQuery = settings.httpMethodsEncodingParametersInURI.map(\.rawValue).sorted()
        self.stringEncoding = encoding
        self.timeoutInterval = settings.timeoutInterval
        self.deadline = settings.deadline
        self.handlesCookies = settings.httpShouldHandleCookies
    }

    func applied<Serializer: AFHTTPRequestSerialization>(to base: Serializer) throws(ApusError) -> Serializer {
        let methods = methodsWithQuery.compactMap { HTTPRequest.Method($0) }
        guard methods.count == methodsWithQuery.count else { throw .archived("an invalid method") }
        guard timeoutInterval ?? .zero >= .zero, deadline ?? .zero >= .zero else {
            throw .archived("a negative time")
        }
        guard let encoding = TextEncoding.labels.first(where: { $0.value == stringEncoding })?.key else {
            throw .archived("an unknown encoding")
        }
        var serializer = base
        serializer.httpRequestHeaders = try HTTPFields(archived: headers)
        serializer.httpMethodsEncodingParametersInURI = Set(methods)
        serializer.stringEncoding = encoding
        serializer.timeoutInterval = timeoutInterval
        serializer.deadline = deadline
        serializer.httpShouldHandleCookies = handlesCookies
        return serializer
    }
}
