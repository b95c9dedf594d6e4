internal import Apus
package import ApusCore
package import ApusTesting

/// A session with a mock transport, a recording monitor and a manual clock.
package struct TestSession {
    package let transport: MockTransport
    package let monitor = RecordingEventMonitor()
    package let clock = ManualClock()
    package let session: Session

    package init(_ handler: @escaping MockTransport.Handler = { _ in MockResponse(body: "ok") }) {
        self.init(configuring: { _ in }, responding: handler)
    }

    package init(
        configuring configure: (inout Session.Configuration) -> Void,
        responding handler: @escaping MockTransport.Handler
    ) {
        self.init(over: MockTransport(handler), configuring: configure)
    }

    /// Creates a session with network middleware.
    package init(_ middleware: any Middleware..., respondingWith handler: @escaping MockTransport.Handler) {
        self.init(over: MockTransport(handler)) { $0.networkMiddleware = middleware }
    }

    package init(over transport: MockTransport, configuring configure: (inout Session.Configuration) -> Void) {
        var configuration = Session.Configuration()
        configuration.time = clock
        configuration.eventMonitors = [monitor]
        configure(&configuration)
        self.transport = transport
        self.session = Session(configuration: configuration, transport: transport)
    }

    /// Returns a session whose transport responds once the barrier is open, and fails if the request is cancelled.
    package static func hanging(
        _ barrier: Barrier,
        configuring configure: (inout Session.Configuration) -> Void = { _ in }
    ) -> TestSession {
        TestSession(configuring: configure) { _ in
            try await barrier.passUnlessCancelled()
            return MockResponse(body: "ok")
        }
    }

    package static func configured(_ configure: (inout Session.Configuration) -> Void) -> TestSession {
        TestSession(configuring: configure) { _ in MockResponse(body: "ok") }
    }

    /// Returns a session whose transport chooses its response by the path of the request.
    package static func responding(
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

    package func names(of request: some Request) -> [String] { monitor.names(of: request.id) }

    /// The number of requests that have arrived.
    package var requestCount: Int { transport.requests.count }

    /// The paths of the requests that have arrived, in their order.
    package var paths: [String] { transport.requests.map(\.target.path) }

    /// Sends a GET request.
    @discardableResult
    package func get(_ url: String) async throws -> Response { try await session.get(url) }

    /// Sends a GET request in a new task.
    package func startGet(_ url: String) -> Task<Response, any Error> {
        Task { [session] in try await session.get(url) }
    }
}
