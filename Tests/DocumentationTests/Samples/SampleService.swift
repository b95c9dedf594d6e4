internal import Apus
internal import ApusTesting
internal import Foundation

/// The service of the samples: a mock transport without a network.
enum SampleService {
    /// Creates a session whose transport returns the responses that the samples expect.
    ///
    /// - Parameters:
    ///   - clock: The session's clock, which delays slow responses.
    ///   - change: Changes the session's configuration.
    /// - Returns: The session.
    static func session(
        clock: ManualClock = ManualClock(),
        _ change: (inout Session.Configuration) -> Void = { _ in }
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.time = clock
        change(&configuration)
        return Session(configuration: configuration, transport: MockTransport { try await respond($0, clock) })
    }

    private static func respond(_ request: RequestMessage, _ clock: ManualClock) async throws -> MockResponse {
        let path = request.target.path.prefix { $0 != "?" }
        switch (request.method, path) {
        case (.post, "/users"): return MockResponse(status: .created)
        case (_, "/users"), (_, "/users/1"), (_, "/users/2"): return json(#"{"id": 1, "name": "Ada"}"#)
        case (_, "/users/0"): return json(#"{"title": "There is no such user"}"#, status: .notFound)
        case (_, "/events"): return MockResponse(chunks: [BodyChunk("first"), BodyChunk("last"), BodyChunk("more")])
        case (_, "/archive.zip"): return MockResponse(chunks: [BodyChunk("PK"), BodyChunk("…")])
        case (_, "/old"): return MockResponse(status: .movedPermanently, fields: [.location: "/users/1"])
        case (_, "/slow"):
            try await clock.sleep(until: clock.now.advanced(by: .seconds(3600)))
            return MockResponse()
        default: return MockResponse()
        }
    }

    private static func json(_ text: String, status: HTTPResponse.Status = .ok) -> MockResponse {
        MockResponse(status: status, fields: [.contentType: "application/json"], body: text)
    }
}
