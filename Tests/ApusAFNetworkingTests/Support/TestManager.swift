internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestSupport
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
            try await barrier.passUnlessCancelled()
            return MockResponse(fields: json, body: "{}")
        }
    }

    /// Returns a manager whose server sets a cookie in the response to `login`.
    static func settingCookies(_ configuration: SessionConfiguration = SessionConfiguration()) -> TestManager {
        TestManager(configuration: configuration) { request in
            var fields = json
            if request.target.path.hasSuffix("/login") { fields[.setCookie] = "sid=1; Path=/" }
            return MockResponse(fields: fields, body: "{}")
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
