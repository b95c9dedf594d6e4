internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

struct UserClient {
    let session: Session

    func user(_ id: Int) async throws -> User {
        try await session.get("https://api.example.org/users/\(id)").validate().decode(User.self)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct TestingYourClientSamples {
    @Test func asksForTheUser() async throws {
        let transport = MockTransport { request in
            MockResponse(fields: [.contentType: "application/json"], body: #"{"id": 1, "name": "Ada"}"#)
        }
        let client = UserClient(session: Session(transport: transport))
        let user = try await client.user(1)
        #expect(user.name == "Ada")
        #expect(transport.requests.map(\.target.path) == ["/users/1"])
    }

    @Test func followsThePages() async throws {
        let link = try HTTPField.Name(checking: "Link")
        let transport = MockTransport([
            MockResponse(fields: [link: #"</users?page=2>; rel="next""#], body: #"[{"id": 1, "name": "Ada"}]"#),
            MockResponse(body: "[]"),
        ])
        let session = Session(transport: transport)
        var users: [User] = []
        for try await page in session.pages(of: "https://api.example.org/users") {
            users += try page.validate().decode([User].self)
        }
        #expect(users.map(\.name) == ["Ada"])
        #expect(transport.requests.map(\.target.path) == ["/users", "/users?page=2"])
    }

    @Test func takesBodiesOfManyTypes() async throws {
        let text = "Ada"
        let data = Data(text.utf8)
        let responses = [
            MockResponse(body: text),
            MockResponse(chunks: [BodyChunk(data)]),
            MockResponse(chunks: [BodyChunk(try JSONEncoder().encode(User(id: 1, name: text)))]),
        ]
        let session = Session(transport: MockTransport(responses))
        #expect(try await session.get("https://api.example.org/").string() == "Ada")
        #expect(try await session.get("https://api.example.org/").data == data)
        #expect(try await session.get("https://api.example.org/").decode(User.self).name == "Ada")
    }

    @Test func sendsTheName() async throws {
        let transport = MockTransport { _ in MockResponse(status: .created) }
        let session = Session(transport: transport)
        let user = User(id: 2, name: "Grace")
        try await session.post("https://api.example.org/users", parameters: user, encoder: .json).validate()
        let sent = try JSONDecoder().decode(User.self, from: try await transport.requests[0].body.data())
        #expect(sent.name == "Grace")
    }

    @Test func reportsATruncatedResponse() async throws {
        let transport = MockTransport([
            MockResponse(status: .found, fields: [.location: "/users/2"]),
            MockResponse(chunks: [BodyChunk(#"{"id": "#)], failure: ApusError(.connectionClosed, "the peer went away")),
        ])
        let client = UserClient(session: Session(transport: transport))
        await #expect(throws: ApusError.self) {
            try await client.user(1)
        }
    }

    @Test func timesOutAfterHalfAMinute() async throws {
        let clock = ManualClock()
        var configuration = Session.Configuration()
        configuration.time = clock
        configuration.timeouts.request = .seconds(30)
        let transport = MockTransport { _ in
            try await clock.sleep(until: clock.now.advanced(by: .seconds(60)))
            return MockResponse()
        }
        let session = Session(configuration: configuration, transport: transport)
        let response = Task { try await session.get("https://api.example.org/slow") }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: ApusError.self) { try await response.value }
        #expect(error?.code == .deadlineExceeded)
    }

    @Test func retriesWhenTheServerAsksForIt() async throws {
        let clock = ManualClock()
        var configuration = Session.Configuration()
        configuration.time = clock
        configuration.interceptor = RetryPolicy()
        let transport = MockTransport([
            MockResponse(status: .serviceUnavailable, fields: [.retryAfter: "5"]),
            MockResponse(body: "at last"),
        ])
        let session = Session(configuration: configuration, transport: transport)
        let response = Task { try await session.get("https://api.example.org/users") }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        #expect(try await response.value.string() == "at last")
        #expect(transport.requests.count == 2)
    }

    @Test func tellsItsSteps() async throws {
        let monitor = RecordingEventMonitor()
        var configuration = Session.Configuration()
        configuration.eventMonitors = [monitor]
        let session = Session(configuration: configuration, transport: MockTransport { _ in MockResponse() })
        let request = session.request("https://api.example.org/")
        _ = await request.serializingString().response
        #expect(monitor.names(of: request.id).first == "resumed")
    }

    @Test func leavesNothing() async throws {
        let session = Session(transport: MockTransport { _ in MockResponse(body: "here") })
        try await session.get("https://api.example.org/").validate()
        try await assertNothingLeft(session)
    }
}
