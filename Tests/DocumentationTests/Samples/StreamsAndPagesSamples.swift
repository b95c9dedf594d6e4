internal import Apus
internal import ApusResilience
internal import ApusTesting
internal import Foundation
internal import Testing

/// The code of the comments on lines, links, pages, deduplication and archives in tests.
@Suite(.timeLimit(.minutes(5)))
struct StreamsAndPagesSamples {
    private let session = Session(
        transport: MockTransport { request in
            switch request.target.path {
            case "/log":
                return MockResponse(chunks: [BodyChunk("first\nsec"), BodyChunk("ond\n")])
            case "/users.ndjson":
                let ada = #"{"id": 1, "name": "Ada"}"#
                let eve = #"{"id": 2, "name": "Eve"}"#
                return MockResponse(chunks: [BodyChunk("\(ada)\n\(eve.prefix(9))"), BodyChunk("\(eve.dropFirst(9))\n")])
            default:
                var response = MockResponse(body: #"[{"id": 1, "name": "Ada"}]"#)
                try response.fields.set(checking: "Link", #"<https://api.example.org/license>; rel="license""#)
                return response
            }
        }
    )

    @Test func lines() async throws {
        let log = try await session.stream("https://api.example.org/log")
        for try await line in log.body.lines {
            print(line)
        }
    }

    @Test func values() async throws {
        let response = try await session.stream("https://api.example.org/users.ndjson")
        for try await user in response.body.decoded(User.self) {
            print(user.name)
        }
    }

    @Test func links() async throws {
        let response = try await session.get("https://api.example.org/users")
        if let license = response.links.first(where: { $0.has(relation: "license") }) {
            print(license.title ?? license.reference)
        }
        #expect(response.links.count == 1)
    }

    @Test func pages() async throws {
        var users: [User] = []
        for try await page in session.pages(of: "https://api.example.org/users") {
            users += try page.validate().decode([User].self)
        }
        #expect(users.map(\.name) == ["Ada"])
    }

    @Test func deduplication() {
        var configuration = Session.Configuration()
        configuration.networkMiddleware = [Deduplication(), ConcurrencyLimiter(4)]
        #expect(configuration.networkMiddleware.count == 2)
    }

    /// Only compiled, because it needs a file.
    static func archive() throws -> Session {
        let archive = try HTTPArchive(contentsOf: URL(filePath: "/tmp/users.har"))
        let session = Session(transport: MockTransport(archive: archive))
        return session
    }
}
