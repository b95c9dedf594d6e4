internal import Apus
internal import Dispatch
internal import Foundation
internal import Testing

struct User: Codable, Sendable {
    let id: Int
    let name: String
}

@Suite(.timeLimit(.minutes(5)))
struct GettingStartedSamples {
    private let session = SampleService.session()
    private let queue = DispatchQueue(label: "samples")

    @Test func sendsARequest() async throws {
        let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)
        print(user.name)
        #expect(user.name == "Ada")
    }

    @Test func sendsQueryAndFields() async throws {
        let page = try await session.get(
            "https://api.example.org/users",
            query: [URLQueryItem(name: "name", value: "Ada & Grace"), URLQueryItem(name: "page", value: "2")],
            fields: [.acceptLanguage: "en"]
        )
        print(page.status.code, page.fields[.contentType] ?? "", page.data.count)
        #expect(page.request.target.path == "/users?name=Ada%20%26%20Grace&page=2")
    }

    @Test func sendsFieldsByName() async throws {
        let (tag, token) = ("blue", "mF_9.B5f-4.1JqM")
        let tagged = try await session.get("https://api.example.org/users", fields: ["X-Tag": tag])
        let mine = try await session.get(
            "https://api.example.org/users/1",
            fields: [.authorization(bearerToken: token), .accept("application/json")]
        )
        #expect(try tagged.request.fields[HTTPField.Name(checking: "X-Tag")] == "blue")
        #expect(mine.request.fields[.authorization] == "Bearer mF_9.B5f-4.1JqM")
    }

    @Test func sendsABody() async throws {
        let created = try await session.post(
            "https://api.example.org/users",
            parameters: User(id: 2, name: "Grace"),
            encoder: .json
        )
        try created.validate(statusCodes: 201..<202)
        #expect(created.status == .created)
    }

    @Test func sendsAFile() async throws {
        let picture = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try Data("picture".utf8).write(to: picture)
        defer { try? FileManager.default.removeItem(at: picture) }
        try await session.put("https://api.example.org/pictures/1", body: .file(picture)).validate()
    }

    @Test func usesAHandle() async throws {
        let request = session.request("https://api.example.org/users/1")
            .validate()
            .downloadProgress(queue: queue) { progress in
                print(progress.fractionCompleted, progress.estimatedTimeRemaining ?? .zero)
            }
            .responseDecodable(of: User.self, queue: queue) { response in
                switch response.result {
                case .success(let user): print(user.name)
                case .failure(let error): print(error)
                }
            }
        #expect(await request.serializingData().result.isSuccess)

        let name = try await session.request("https://api.example.org/users/1")
            .validate()
            .serializingDecodable(User.self)
            .value.name
        #expect(name == "Ada")
    }

    @Test func streams() async throws {
        let response = try await session.stream("https://api.example.org/events")
        for try await line in response.body.lines {
            print(line)
        }
    }

    @Test func downloads() async throws {
        let destination = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: destination) }
        let file = try await session.download("https://example.org/archive.zip", to: destination) { progress in
            print(progress)
        }
        print(file.byteCount)
        #expect(try Data(contentsOf: destination) == Data("PK…".utf8))
    }

    @Test func setsOptions() async throws {
        let response = try await session.get(
            "https://api.example.org/old",
            options: [RedirectPolicy.refuse, RequestDeadline(.seconds(3))]
        )
        print(response.status)
        #expect(response.status == .movedPermanently)
        await session.shutdown(within: .seconds(10))
    }

    @Test func configures() {
        var configuration = Session.Configuration()
        configuration.baseURL = "https://api.example.org"
        configuration.timeouts.request = .seconds(30)
        configuration.pool.connectionsPerOrigin = 16
        configuration.fields[.userAgent] = "Client/1.0"
        configuration.trust.roots = .file("/etc/client/authority.pem")
        let session = Session(configuration: configuration)
        #expect(session.configuration.pool.connectionsPerOrigin == 16)
    }

    @Test func sendsToABaseURL() async throws {
        let session = SampleService.session { $0.baseURL = "https://api.example.org" }
        let user = try await session.get("users/1").validate().decode(User.self)
        #expect(user.name == "Ada")
    }
}

extension Result {
    var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
