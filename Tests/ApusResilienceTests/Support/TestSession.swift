internal import Apus
internal import ApusTesting

/// A session over a mock, with a clock that is moved by hand.
struct TestSession {
    let transport: MockTransport
    let clock = ManualClock()
    let session: Session

    init(_ middleware: any Middleware..., answering handler: @escaping MockTransport.Handler) {
        self.init(over: MockTransport(handler)) { $0.networkMiddleware = middleware }
    }

    init(over transport: MockTransport, configuring configure: (inout Session.Configuration) -> Void) {
        var configuration = Session.Configuration()
        configuration.time = clock
        configure(&configuration)
        self.transport = transport
        self.session = Session(configuration: configuration, transport: transport)
    }

    /// How many requests have arrived.
    var requestCount: Int { transport.requests.count }

    /// The paths of the requests that have arrived, in their order.
    var paths: [String] { transport.requests.map(\.target.path) }

    /// Asks for something.
    @discardableResult
    func get(_ url: String) async throws -> Response { try await session.get(url) }

    /// Asks for something, in a task of its own.
    func ask(_ url: String) -> Task<Response, any Error> {
        Task { [session] in try await session.get(url) }
    }
}

/// A place where work stops until the test lets it go, or its task is cancelled.
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

    /// Lets go of everyone, now and from now on.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.fulfill(()) }
    }
}

/// A value that changes from anywhere.
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
    /// Adds to it, and says what it is now.
    func increased(by number: Int) -> Int {
        change { value in
            value += number
            return value
        }
    }
}

/// Waits for what other tasks bring about, by turns of the executor and not by time.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<200_000 {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}

/// The error that `work` ends with.
func failure(of work: () async throws -> some Any) async -> ApusError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? ApusError
    }
}
