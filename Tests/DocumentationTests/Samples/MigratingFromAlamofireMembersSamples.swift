internal import Apus
internal import ApusMetrics
internal import ApusResilience
internal import ApusTracing
internal import Foundation
internal import HTTPTypes
internal import Logging

/// The rows of MigratingFromAlamofire.md on members that have other names, and on wishes. Only compiled.
enum MigratingFromAlamofireMembersSamples {
    private struct MyError: Error {
        let cause: ApusError
    }

    private struct Profile: Encodable, Sendable {
        let name: String
        let tags: [String]
    }

    private static let url = "https://api.example.org/users"

    static func sessions() async throws -> Session {
        var configuration = Session.Configuration()
        configuration.baseURL = "https://api.example.org/v1"
        configuration.interceptor = .retryPolicy
        configuration.middleware = [.deflateCompressor, .gzipCompressor]
        configuration.networkMiddleware = [Deduplication()]
        configuration.eventMonitors = [LogMonitor(.bodies(upTo: 1000))]
        configuration.eventMonitors.append(MetricsMonitor())
        configuration.trace()
        let session = Session(configuration: configuration)
        print(try await session.get("users/1").statusCode)
        return session
    }

    static func handles(_ session: Session, _ adapter: Adapter, _ retrier: Retrier) {
        let request = session.request(url, options: [Interceptor(adapters: [adapter], retriers: [retrier])])
        request.interceptor(.retryPolicy)
        request.retry(using: .connectionLostRetryPolicy)
        request.retry(using: .retryPolicy(retryLimit: 3))
        request.retry(using: .offlineRetrier)
        let requests: Set<DataRequest> = [request]
        if let command = request.cURLDescriptionIfMade { print(command) }
        print(requests.count, request.statusCode ?? 0)
        print(request.metrics.exchanges.first?.target as Any, request.metrics.exchanges.last?.target as Any)
    }

    static func policies() -> Retrier {
        var policy = RetryPolicy()
        policy.base = 3
        policy.scale = .seconds(1)
        policy.methods.insert(.post)
        policy.statuses = [503]
        policy.codes.remove(.readTimeout)
        return wrapped(policy)
    }

    private static func wrapped(_ policy: RetryPolicy) -> Retrier {
        Retrier { attempt, error in await policy.retry(attempt, dueTo: error) }
    }

    static func serializers(_ message: RequestMessage, _ response: HTTPResponse) -> Bool {
        let serializer = DataResponseSerializer(
            emptyResponseCodes: EmptyResponses.codes,
            emptyRequestMethods: EmptyResponses.methods
        )
        return serializer.allowsEmptyResponse(to: message, response)
    }

    static func responses(_ session: Session) async {
        let response = await session.request(url).serializingDecodable(User.self).response
        let result: Result<User, MyError> = response.result.mapError(MyError.init)
        print(result, response.statusCode ?? 0, response.target?.url as Any)
    }

    static func objects(_ session: Session) async throws {
        let response = try await session.get(url)
        let object = try response.json().foundationObject as? [String: Any]
        print(object?.count ?? 0, response.links.count)
    }

    static func streams(_ session: Session, _ parameters: Parameters) async throws {
        let response = try await session.stream(ParameterizedRequest(url, parameters: parameters))
        for try await user in response.body.decoded(User.self) { print(user.name) }
        for try await page in session.pages(of: url) { print(page.statusCode) }
    }

    static func parameters(
        _ name: String,
        _ existing: [String: Any],
        _ fileURL: URL
    ) throws -> MultipartFormData {
        let profile = Profile(name: name, tags: ["x", "y"])
        let parameters: Parameters = ["name": ParameterValue(name), "profile": try ParameterValue(encoding: profile)]
        print(parameters, try Parameters(foundationObject: existing))
        var form = MultipartFormData()
        try form.append(parameters: profile)
        try form.append(.inputStream { InputStream(url: fileURL) }, withName: "log", fileName: "a.log")
        return form
    }

    static func uploads(_ session: Session, _ form: MultipartFormData, _ fileURL: URL) {
        let uploads: [UploadRequest] = [
            session.upload(fileURL, with: Router.user(id: 1)),
            session.upload(multipartFormData: form, with: Router.user(id: 1)),
        ]
        for upload in uploads { upload.cancel() }
    }

    static func wishes(_ session: Session, _ items: [URLQueryItem], _ logger: Logger) async throws {
        let profile = Profile(name: "Ada", tags: [])
        let responses = [
            try await session.post(url, query: items, parameters: profile, encoder: .json),
            try await session.get(url, options: [RequestLogger(logger)]),
            try await session.get(url, options: [RequestLabel("search")]),
            try await session.get(url, options: [RedirectPolicy.refuse]),
        ]
        print(responses.map(\.statusCode), MediaTypes.type(forExtension: "png"))
    }
}
