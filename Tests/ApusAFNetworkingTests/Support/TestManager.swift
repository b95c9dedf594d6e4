internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

/// A manager over a mock, that completes on a queue of its own.
struct TestManager {
    static let base = URL(string: "https://api.example.org/v1")
    static let json: HTTPFields = [.contentType: "application/json"]

    let transport: MockTransport
    let manager: HTTPSessionManager

    init(
        baseURL: URL? = Self.base,
        configuration: SessionConfiguration = SessionConfiguration(),
        _ handler: @escaping MockTransport.Handler = { _ in MockResponse(fields: json, body: #"{"name":"swift"}"#) }
    ) {
        self.transport = MockTransport(handler)
        self.manager = HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport)
        manager.completionQueue = DispatchQueue(label: "test.completion")
    }

    /// One whose requests wait until the barrier is open, or they are given up.
    static func hanging(_ barrier: Hurdle) -> TestManager {
        TestManager { _ in
            try await barrier.pass()
            return MockResponse(fields: json, body: "{}")
        }
    }

    /// The only request that arrived.
    var request: RequestMessage? { transport.requests.count == 1 ? transport.requests.first : nil }
}

/// What the closures of a call were told.
struct Told: Sendable {
    var task: SessionTask?
    var object: (any Sendable)?
    var error: ApusError?
}

/// What comes of a call that tells of success or failure.
func told(
    _ call: (@escaping HTTPSessionManager.Success, @escaping HTTPSessionManager.Failure) -> SessionTask?
) async -> Told {
    let told = Deferred<Told>()
    _ = call({ told.fulfill(Told(task: $0, object: $1)) }, { told.fulfill(Told(task: $0, error: $1)) })
    return await told.value
}

/// What comes of a task that has one completion handler.
func outcome<Object: Sendable>(
    of make: (@escaping HTTPSessionManager.Completion<Object>) -> SessionTask
) async -> (task: SessionTask, response: HTTPResponse?, object: Object?, error: ApusError?) {
    let told = Deferred<(SessionTask, HTTPResponse?, Object?, ApusError?)>()
    make { told.fulfill(($0, $1, $2, $3)) }.resume()
    return await told.value
}

/// The error that `work` ends with.
func failure(of work: () async throws(ApusError) -> some Any) async -> ApusError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}

/// A place where work stops until the test lets it go or its task is cancelled, and that tells when somebody has come.
final class Hurdle: Sendable {
    private let arrival = Deferred<Void>()
    private let opening = Deferred<Void>()

    func pass() async throws {
        arrival.fulfill(())
        let opening = opening
        let isOver = Deferred<Void>()
        let waiting = Task {
            await opening.value
            isOver.fulfill(())
        }
        await withTaskCancellationHandler {
            await isOver.value
        } onCancel: {
            isOver.fulfill(())
        }
        _ = waiting
        try Task.checkCancellation()
    }

    func reached() async { await arrival.value }

    func open() { opening.fulfill(()) }
}

/// A list that grows from anywhere.
final class Records<Element: Sendable>: Sendable {
    private let stored = Lock<[Element]>([])

    var all: [Element] { stored.withLock { $0 } }

    func append(_ element: Element) { stored.withLock { $0.append(element) } }
}

/// Waits for what other tasks bring about, by turns of the executor and not by time.
func becomes(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<200_000 {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}
