import Apus
import ApusTesting

/// Tests a client without a network. A mock responds to its requests, and the session must not leak resources.
func mockService() async throws {
    struct User: Decodable, Sendable {
        let name: String
    }

    let transport = MockTransport { request in
        MockResponse(fields: [.contentType: "application/json"], body: #"{"name": "Ada"}"#)
    }
    let session = Session(transport: transport)
    let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)
    print(user.name, transport.requests.map(\.target.path))
    try await assertNothingLeft(session)
}
