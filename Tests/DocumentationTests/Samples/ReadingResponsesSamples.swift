internal import Apus
internal import Foundation
internal import Testing

/// The code of the guide to reading responses.
@Suite(.timeLimit(.minutes(5)))
struct ReadingResponsesSamples {
    private let session = SampleService.session()

    @Test func direct() async throws {
        let response = try await session.get("https://api.example.org/users/1").validate()
        let user = try response.decode(User.self)
        let text = try response.string()
        let name = try response.json()["name"]?.string
        #expect(user.name == name)
        #expect(text.contains("Ada"))
    }

    @Test func decoder() async throws {
        let decoder = JSONContentDecoder(dateDecodingStrategy: .iso8601, keyDecodingStrategy: .convertFromSnakeCase)
        let user = try await session.get("https://api.example.org/users/1").decode(User.self, decoder: decoder)
        #expect(user.name == "Ada")
    }

    @Test func files() async throws {
        let user = try await session.download("https://api.example.org/users/1", to: .temporary)
            .validate()
            .serializingDecodable(User.self)
            .value
        #expect(user.name == "Ada")
    }

    @Test func nothing() async throws {
        let gone = session.request("https://api.example.org/users/3", method: .delete)
        _ = try await gone.serializingDecodable(Empty.self, emptyResponseCodes: [200, 204]).value
    }

    @Test func refusals() async throws {
        do {
            let user = try await session.request("https://api.example.org/users/0").validate()
                .serializingDecodable(User.self).value(orThrowing: Problem.self)
            print(user.name)
        } catch .refused(let problem, let error) {
            print(problem.title, error.responseCode ?? 0)
        } catch .failed(let error) {
            print(error)
        }
    }
}
