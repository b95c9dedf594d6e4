internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

/// A manager with a mock transport and a separate completion queue.
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

    /// Returns a manager whose requests wait until the barrier opens or they are cancelled.
    static func hanging(_ barrier: Barrier) -> TestManager {
        TestManager { _ in
            try await barrier.pass()
            return MockResponse(fields: json, body: "{}")
        }
    }

    /// The request, if exactly one arrived.
    var request: RequestMessage? { transport.requests.count == 1 ? transport.requests.first : nil }
}

/// The values that the closures of a call received.
struct CallResult: Sendable {
    var task: SessionTask?
    var object: (any Sendable)?
    var error: ApusError?
}

/// Returns the outcome of a call with success and failure closures.
func callResult(
    _ call: (@escaping HTTPSessionManager.Success, @escaping HTTPSessionManager.Failure) -> SessionTask?
) async -> CallResult {
    let result = Deferred<CallResult>()
    _ = call({ result.fulfill(CallResult(task: $0, object: $1)) }, { result.fulfill(CallResult(task: $0, error: $1)) })
    return await result.value
}

/// Returns the outcome of a task with one completion handler.
func outcome<Object: Sendable>(
    of make: (@escaping HTTPSessionManager.Completion<Object>) -> SessionTask
) async -> (task: SessionTask, response: HTTPResponse?, object: Object?, error: ApusError?) {
    let result = Deferred<(SessionTask, HTTPResponse?, Object?, ApusError?)>()
    make { result.fulfill(($0, $1, $2, $3)) }.resume()
    return await result.value
}

/// Returns the error that `work` throws, if any.
func failure(of work: () async throws(ApusError) -> some Any) async -> ApusError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}

/// A barrier at which work waits until it opens or the task is cancelled. Tests can wait for the work to arrive.
final class Barrier: Sendable {
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

    func waitForArrival() async { await arrival.value }

    func open() { opening.fulfill(()) }
}

/// A thread-safe list.
final class Records<Element: Sendable>: Sendable {
    private let stored = Lock<[Element]>([])

    var all: [Element] { stored.withLock { $0 } }

    func append(_ element: Element) { stored.withLock { $0.append(element) } }
}

/// Waits for a condition by yielding, not by sleeping.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<200_000 {
        if condition() { return true }
        await Task.yield()
    }
    return condition()
}
