internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// The code of the documentation comments about parameters.
@Suite(.timeLimit(.minutes(5)))
struct ParameterSamples {
    private let session = Session(transport: MockTransport { _ in MockResponse(body: #"{"id":1,"name":"Ada"}"#) })

    @Test func forms() throws {
        struct Search: Encodable, Sendable {
            let text: String
            let tags: [String]
        }
        let form: String = try URLEncodedFormEncoder().encode(Search(text: "a b", tags: ["x", "y"]))
        print(form)  // tags%5B%5D=x&tags%5B%5D=y&text=a%20b
        #expect(form == "tags%5B%5D=x&tags%5B%5D=y&text=a%20b")
    }

    @Test func json() throws {
        struct Search: Encodable, Sendable {
            let searchText: String
            let tags: [String]
        }
        let encoder = JSONContentEncoder(keyEncodingStrategy: .convertToSnakeCase)
        let json = try encoder.encode(Search(searchText: "a/b", tags: ["x", "y"]))
        print(String(decoding: json, as: UTF8.self))  // {"search_text":"a/b","tags":["x","y"]}
        #expect(String(decoding: json, as: UTF8.self) == #"{"search_text":"a/b","tags":["x","y"]}"#)
    }

    @Test func literals() {
        let parameters: Parameters = ["name": "Ada", "age": 36, "tags": ["a", "b"], "parent": nil]
        #expect(parameters["age"] == 36)
    }

    @Test func queries() throws {
        let parameters: Parameters = ["name": "Ada", "tags": ["x", "y"], "draft": true, "parent": nil]
        let query = try QueryStringSerializer.string(from: parameters)
        print(query)  // draft=1&name=Ada&parent&tags%5B%5D=x&tags%5B%5D=y
        #expect(query == "draft=1&name=Ada&parent&tags%5B%5D=x&tags%5B%5D=y")
    }

    @Test func requests() async throws {
        let request = ParameterizedRequest("https://example.org/search", parameters: ["text": "a b"])
        let response = try await session.send(request)
        #expect(response.target.path == "/search?text=a%20b")
    }

    @Test func handles() async throws {
        let request = session.request(
            "https://example.org/users",
            method: .post,
            parameters: ["name": "Ada"],
            encoder: .json
        )
        #expect(try await request.serializingDecodable(User.self).value.name == "Ada")
    }
}
