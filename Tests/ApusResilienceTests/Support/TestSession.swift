internal import Apus
internal import ApusTesting

/// A session over a mock transport, with a manual clock.
struct TestSession {
    let transport: MockTransport
    let clock = ManualClock()
    let session: Session

    init(_ middleware: any Middleware..., respondingWith handler: @escaping MockTransport.Handler) {
        self.init(over: MockTransport(handler)) { $0.networkMiddleware = middleware }
    }

    init(over transport: MockTransport, configuring configure: (inout Session.Configuration) -> Void) {
        var configuration = Session.Configuration()
        configuration.time = clock
        configure(&configuration)
        self.transport = transport
        self.session = Session(configuration: configuration, transport: transport)
    }

    /// The number of requests that have arrived.
    var requestCount: Int { transport.requests.count }

    /// The paths of the requests that have arrived, in their order.
    var paths: [String] { transport.requests.map(\.target.path) }

    /// Sends a GET request.
    @discardableResult
    func get(_ url: String) async throws -> Response { try await session.get(url) }

    /// Sends a GET request in a new task.
    func startGet(_ url: String) -> Task<Response, any Error> {
        Task { [session] in try await session.get(url) }
    }
}

/// A barrier at which a task waits until the test opens it or the task is cancelled.
final class Barrier: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [Deferred<Void>] = []
    }

    private let state = Lock(State())

    func pass() async throws {
        let opening = Deferred<Void>()
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(opening) }
            return state.isOpen
        }
        if isOpen { opening.fulfill(()) }
        await withTaskCancellationHandler {
            await opening.value
        } onCancel: {
            opening.fulfill(())
        }
        try Task.checkCancellation()
    }

    /// Releases all tasks that wait now or later.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.fulfill(()) }
    }
}

/// A value that any task can change.
final class Shared<Value: Sendable>: Sendable {
    private let stored: Lock<Value>

    init(_ value: Value) {
        self.stored = Lock(value)
    }

    var value: Value { stored.withLock { $0 } }

    @discardableResult
    func change<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        stored.withLock { change(&$0) }
    }
}

extension Shared<Int> {
    /// Increases the value and returns the result.
    func increased(by number: Int) -> Int {
        change { value in
            value += number
            return value
        }
    }
}

/// Waits for a condition that other tasks fulfill, by yielding instead of sleeping.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<200_000 {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}

/// Returns the error that `work` throws.
func failure(of work: () async throws -> some Any) async -> ApusError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? ApusError
    }
}
