internal import Apus
internal import ApusCore
internal import ApusTesting
internal import Dispatch
internal import HTTPTypes

/// A session with a mock transport, a recording monitor and a manual clock.
struct TestSession {
    let transport: MockTransport
    let monitor = RecordingEventMonitor()
    let clock = ManualClock()
    let session: Session

    init(_ handler: @escaping MockTransport.Handler = { _ in MockResponse(body: "ok") }) {
        self.init(configuring: { _ in }, responding: handler)
    }

    init(
        configuring configure: (inout Session.Configuration) -> Void,
        responding handler: @escaping MockTransport.Handler
    ) {
        let transport = MockTransport(handler)
        var configuration = Session.Configuration()
        configuration.time = clock
        configuration.eventMonitors = [monitor]
        configure(&configuration)
        self.transport = transport
        self.session = Session(configuration: configuration, transport: transport)
    }

    /// Returns a session whose transport responds once the barrier is open, and fails if the request is cancelled.
    static func hanging(
        _ barrier: Barrier,
        configuring configure: (inout Session.Configuration) -> Void = { _ in }
    ) -> TestSession {
        TestSession(configuring: configure) { _ in
            try await barrier.passUnlessCancelled()
            return MockResponse(body: "ok")
        }
    }

    static func configured(_ configure: (inout Session.Configuration) -> Void) -> TestSession {
        TestSession(configuring: configure) { _ in MockResponse(body: "ok") }
    }

    /// Returns a session whose transport chooses its response by the path of the request.
    static func responding(
        _ responses: [String: MockResponse],
        configuring configure: (inout Session.Configuration) -> Void = { _ in }
    ) -> TestSession {
        TestSession(configuring: configure) { request in
            guard let response = responses[request.target.path] else {
                throw ApusError(.connectFailed, "no answer for it")
            }
            return response
        }
    }

    func names(of request: some Request) -> [String] { monitor.names(of: request.id) }
}

/// A middleware that calls a closure.
struct ClosureMiddleware: Middleware {
    typealias Body = @Sendable (RequestMessage, RequestContext, Next) async throws -> ResponseMessage

    private let body: Body

    init(_ body: @escaping Body) {
        self.body = body
    }

    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let request = request
        return try await body(request, context, next)
    }
}

/// A queue for callbacks, whose label identifies it to the code that runs on it.
struct TestQueue: Sendable {
    private static let key = DispatchSpecificKey<String>()

    let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: Self.key, value: label)
    }

    static var current: String? { DispatchQueue.getSpecific(key: key) }
}
