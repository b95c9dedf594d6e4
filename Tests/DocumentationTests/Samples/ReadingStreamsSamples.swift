internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// The code of the guide to streams and pages.
@Suite(.timeLimit(.minutes(5)))
struct ReadingStreamsSamples {
    private let session = Session(
        transport: MockTransport { request in
            let ada = #"{"id": 1, "name": "Ada"}"#
            switch request.target.path {
            case "/users": return MockResponse(fields: [.contentType: "application/json"], body: "[\(ada)]")
            case "/log": return MockResponse(chunks: [BodyChunk("first\nsec"), BodyChunk("ond\n")])
            default: return MockResponse(fields: [.contentType: "application/x-ndjson"], body: "\(ada)\n")
            }
        }
    )

    @Test func chunks() async throws {
        let response = try await session.stream("https://api.example.org/log")
        print(response.statusCode, response.fields[.contentType] ?? "", response.expectedLength ?? -1)
        for try await chunk in response.body {
            print(chunk.count)
        }
        #expect(response.statusCode == 200)
    }

    @Test func acceptedResponses() async throws {
        let users = try await session.stream(
            "https://api.example.org/users.ndjson",
            options: [ResponseValidation.success]
        )
        for try await user in users.body.decoded(User.self) {
            print(user.name)
        }
        #expect(users.statusCode == 200)
    }

    @Test func acceptedResponsesOfASession() {
        var configuration = Session.Configuration()
        configuration.validation = .success
        let session = Session(configuration: configuration)
        #expect(session.configuration.fields[.accept] == "*/*")
    }

    @Test func parameters() async throws {
        let search = ParameterizedRequest(
            "https://api.example.org/search",
            method: .post,
            parameters: ["name": "Ada"],
            encoder: .json
        )
        let found = try await session.stream(search)
        var names: [String] = []
        for try await user in found.body.decoded(User.self) { names.append(user.name) }
        #expect(names == ["Ada"])
    }

    @Test func firstPages() async throws {
        var names: [String] = []
        for try await page in session.pages(of: "https://api.example.org/users", maximumCount: 20) {
            names += try page.validate().decode([User].self).map(\.name)
            if names.contains("Ada") { break }
        }
        #expect(names == ["Ada"])
    }
}
