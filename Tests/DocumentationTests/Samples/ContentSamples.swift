internal import Apus
internal import Foundation
internal import Testing

/// The code of the documentation comments on JSON values, fields and compression.
@Suite(.timeLimit(.minutes(5)))
struct ContentSamples {
    @Test func values() throws {
        let value = try JSONValue(parsing: Data(#"{"items": [{"id": 7, "tags": null}]}"#.utf8))
        let id = value["items"][0]["id"]?.int
        print(value.removingNulls())  // {"items":[{"id":7}]}
        #expect(id == 7)
        #expect(value.removingNulls().jsonText() == #"{"items":[{"id":7}]}"#)
    }

    @Test func objects() {
        var object: JSONObject = ["name": "Ada", "tags": ["admin"]]
        object["tags"] = nil
        print(object.keys)  // ["name"]
        #expect(object.keys == ["name"])
    }

    @Test func namedFields() throws {
        let fields = HTTPFields([
            try .accept("application/json"),
            try .authorization(bearerToken: "mF_9.B5f-4.1JqM"),
        ])
        #expect(fields[.authorization] == "Bearer mF_9.B5f-4.1JqM")
    }

    @Test func checkedFields() throws {
        let fields = try HTTPFields(checking: ["Accept": "text/plain", "X-Request-Tag": "blue"])
        #expect(fields[.accept] == "text/plain")
    }

    /// Only compiled, because it needs a network.
    static func compression() async throws {
        var configuration = Session.Configuration()
        configuration.middleware = [RequestCompressor(.gzip)]
        let session = Session(configuration: configuration)
        let image = try RequestBody.file(URL(filePath: "/tmp/photo.jpg"))
        let response = try await session.put(
            "https://api.example.org/photo",
            body: image,
            options: [RequestCompression.off]
        )
        print(response.status)
    }
}
