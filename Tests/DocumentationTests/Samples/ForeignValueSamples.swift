internal import Apus
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

/// The code of the comments on values and requests that a program already has in another type.
@Suite(.timeLimit(.minutes(5)))
struct ForeignValueSamples {
    private let session = SampleService.session()

    @Test func foundationObjects() throws {
        let settings: [String: Any] = ["name": "Ada", "age": 36, "tags": ["a", "b"], "parent": NSNull()]
        let value = try JSONValue(foundationObject: settings)
        print(value)  // {"age":36,"name":"Ada","parent":null,"tags":["a","b"]}
        #expect(value.jsonText() == #"{"age":36,"name":"Ada","parent":null,"tags":["a","b"]}"#)
    }

    @Test func partsOfJSON() throws {
        let page = try JSONValue(parsing: #"{"next": 2, "users": [{"id": 1, "name": "Ada"}]}"#)
        let users = try page["users"]?.decode([User].self)
        #expect(users?.map(\.name) == ["Ada"])
    }

    @Test func variables() throws {
        let (name, tags, user) = ("Ada", ["a", "b"], ["id": 7])
        let parent = try ParameterValue(encoding: user)
        let parameters: Parameters = ["name": ParameterValue(name), "tags": ParameterValue(tags), "parent": parent]
        #expect(parameters == ["name": "Ada", "tags": ["a", "b"], "parent": ["id": 7]])
    }

    @Test func ownTypes() {
        let page = 3
        enum Order: ParameterConvertible {
            case ascending, descending

            var parameterValue: ParameterValue { self == .ascending ? "asc" : "desc" }
        }
        let parameters: Parameters = ["sort": ParameterValue(Order.descending), "page": ParameterValue(page)]
        #expect(parameters == ["sort": "desc", "page": 3])
        #expect(ParameterValue(Order.ascending) == "asc")
    }

    @Test func existingDictionaries() throws {
        let existing: [String: Any] = ["name": "Ada", "age": 36, "tags": ["a", "b"]]
        let parameters = try Parameters(foundationObject: existing)
        #expect(parameters == ["name": "Ada", "age": 36, "tags": ["a", "b"]])
    }

    @Test func formsOfValues() throws {
        struct Profile: Encodable {
            let user: [String: String]
            let tags: [String]
            let portrait: Data
        }
        var form = MultipartFormData()
        try form.append(parameters: Profile(user: ["name": "Ada"], tags: ["x", "y"], portrait: Data([0x89])))
        #expect(form.description.contains("parts: 4"))
    }

    @Test func downloads() async throws {
        let report = try await session.download(
            "https://api.example.org/report",
            parameters: ["year": 2026],
            to: .temporary
        ).validate().serializingURL().value
        #expect(FileManager.default.fileExists(atPath: report.path))
        try FileManager.default.removeItem(at: report)
    }

    @Test func heads() async throws {
        let head = HTTPRequest(method: .get, scheme: "https", authority: "example.org", path: "/search?q=a")
        let response = try await session.send(RequestMessage(head))
        #expect(response.request.target.uri == "https://example.org/search?q=a")
    }

    @Test func inputStreams() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)").path
        try Data("a line".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let body = RequestBody.inputStream { InputStream(fileAtPath: path) }
        let response = try await session.post("https://api.example.org/log", body: body)
        let once = RequestBody.inputStream(length: 6, InputStream(data: Data("a line".utf8)))
        #expect(response.status == 200)
        #expect(once.length == 6)
    }
}
