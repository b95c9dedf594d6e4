internal import Apus

/// The code of README.md and of the catalog's first page. It is only compiled, because it needs a network.
enum ReadmeSamples {
    static func tenLines() async throws {
        struct User: Decodable, Sendable {
            let name: String
        }

        let session = Session()
        let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)

        session.request("https://api.example.org/users/2").validate().responseDecodable(of: User.self) { response in
            print(user.name, response.value?.name ?? response.error?.description ?? "")
        }
    }

    static func overview() async throws {
        let session = Session()
        let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)
        print(user)
    }
}
