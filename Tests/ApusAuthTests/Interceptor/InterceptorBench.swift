internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes

@testable internal import ApusAuth
@testable internal import ApusCore

/// An interceptor with its clock and requests for it.
struct InterceptorBench<A: Authenticator> {
    let authenticator: A
    let clock = ManualClock()
    let interceptor: AuthenticationInterceptor<A>
    private let environment: SessionEnvironment

    init(_ authenticator: A, _ credential: A.Credential?, window: RefreshWindow? = RefreshWindow()) {
        var configuration = SessionConfiguration()
        configuration.time = clock
        self.authenticator = authenticator
        self.interceptor = AuthenticationInterceptor(
            authenticator: authenticator,
            credential: credential,
            refreshWindow: window
        )
        self.environment = SessionEnvironment(configuration: configuration)
    }

    /// Returns the context of a new request.
    func context() -> RequestContext { RequestContext(environment: environment) }

    func adapt(
        _ url: String = "https://api.example.org/",
        context: RequestContext? = nil
    ) async throws -> RequestMessage {
        try await interceptor.adapt(try RequestMessage(url), context: context ?? self.context())
    }

    func attempt(
        _ request: RequestMessage,
        _ status: HTTPResponse.Status? = .unauthorized,
        context: RequestContext? = nil
    ) -> RequestAttempt {
        RequestAttempt(
            request: request,
            response: status.map { HTTPResponse(status: $0) },
            data: nil,
            fileURL: nil,
            retryCount: 0,
            context: context ?? self.context()
        )
    }

    /// Returns the interceptor's decision about a failed request.
    func retry(
        _ request: RequestMessage,
        _ status: HTTPResponse.Status? = .unauthorized,
        context: RequestContext? = nil
    ) async -> String {
        let error = ApusError(status == nil ? .connectFailed : .unacceptableStatus, "so the test wants it")
        return await interceptor.retry(attempt(request, status, context: context), dueTo: error).name
    }

    /// Returns the interceptor's decision about a response that was not validated.
    func reconsider(_ request: RequestMessage, _ status: HTTPResponse.Status = .unauthorized) async -> String {
        await interceptor.reconsider(attempt(request, status)).name
    }
}

extension InterceptorBench<GatedAuthenticator> {
    init(_ token: Token? = Token("first"), window: RefreshWindow? = RefreshWindow()) {
        self.init(GatedAuthenticator(), token, window: window)
    }

    /// Returns a request as it was sent with a token.
    func sent(_ token: String, body: RequestBody = .none) throws -> RequestMessage {
        let method: HTTPRequest.Method = body.isNone ? .get : .post
        var request = try RequestMessage("https://api.example.org/", method: method, body: body)
        try authenticator.apply(Token(token), to: &request)
        return request
    }
}
