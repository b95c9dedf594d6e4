internal import Apus
internal import ApusAFNetworking
internal import ApusDocuments
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

final class APIClient: HTTPSessionManager, @unchecked Sendable {
    static let shared = APIClient()

    init() {
        super.init(baseURL: URL(string: "https://api.example.org/v1/"))
        requestSerializer = AFJSONRequestSerializer()
        requestSerializer.timeoutInterval = .seconds(30)
    }

    func name(ofUser id: Int) async throws -> String? {
        let (object, _) = try await get("users/\(id)")
        return (object as? JSONValue)?["name"]?.string
    }
}

/// A client in the style of AFNetworking: its subclass, its settings, and the parameters of its calls.
@Suite(.timeLimit(.minutes(5)))
struct AFNetworkingClientSamples {
    private let transport = MockTransport { _ in
        MockResponse(fields: [.contentType: "application/json"], body: #"{"id": 1, "name": "Ada"}"#)
    }
    private let manager: HTTPSessionManager

    init() {
        manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/v1"), transport: transport)
        manager.completionQueue = DispatchQueue(label: "samples")
    }

    @Test func clients() {
        #expect(APIClient.shared.baseURL?.absoluteString == "https://api.example.org/v1/")
        #expect(APIClient.shared.requestSerializer.timeoutInterval == .seconds(30))
        let managers: [HTTPSessionManager] = [AFHTTPSessionManager(), AFURLSessionManager()]
        #expect(managers.count == 2)
        print(manager.description)
    }

    /// Only compiled, because it needs a network.
    static func calls() async throws {
        let name = try await APIClient.shared.name(ofUser: 1)
        print(name ?? "no name")
    }

    @Test func serializers() async throws {
        manager.responseSerializer.acceptableContentTypes = ["application/json", "text/html"]
        manager.responseSerializer.acceptableContentTypes?.insert("text/html")
        try manager.updateRequestSerializer { try $0.setValue("blue", forHTTPHeaderField: "X-Request-Tag") }
        manager.updateResponseSerializer { $0.acceptableStatusCodes?.insert(404) }
        #expect(manager.requestSerializer.value(forHTTPHeaderField: "X-Request-Tag") == "blue")
        #expect(manager.responseSerializer.acceptableStatusCodes?.contains(404) == true)
        manager.requestSerializer.httpShouldHandleCookies = false
        manager.requestSerializer.stringEncoding = .isoLatin1
        manager.requestSerializer.options = [RedirectPolicy.refuse]
        _ = try await manager.get("users", options: [CookieHandling.off, RedirectPolicy.refuse])
        #expect(manager.cookies?.cookies.isEmpty == true)
        let serializer = AFJSONRequestSerializer()
        let data = try JSONEncoder().encode(serializer)
        #expect(try JSONDecoder().decode(AFJSONRequestSerializer.self, from: data).writingOptions == [])
        let policy = try JSONEncoder().encode(AFSecurityPolicy.default)
        #expect(try JSONDecoder().decode(AFSecurityPolicy.self, from: policy) == .default)
    }

    @Test func parameters() async throws {
        let search: AFParameters = ["q": "swift", "tags": ["a", "b"]]
        let names: AFParameters = ["Ada", "Grace"]
        let existing: [String: Any] = ["name": "Ada", "age": 36]
        let parameters = AFParameters(foundationObject: existing)
        _ = try await manager.get("users", parameters: search)
        _ = try await manager.post("users", parameters: parameters)
        manager.requestSerializer = AFJSONRequestSerializer()
        _ = try await manager.post("users", parameters: names)
        _ = try await manager.post("users", parameters: ["Ada", "Grace"])
        #expect(transport.requests.first?.target.path == "/v1/users?q=swift&tags%5B%5D=a&tags%5B%5D=b")
        #expect(transport.requests.map(\.body.length) == [0, 15, 15, 15])
    }

    @Test func values() {
        struct Registration: Encodable {
            let name: String
            let age: Int
        }
        let registration = Registration(name: "Ada", age: 36)
        manager.post("users", parameters: registration, success: { _, _ in print("registered") }, failure: nil)
    }

    @Test func types() {
        let serializer = AFPropertyListResponseSerializer()
        manager.get("settings", serializer: serializer) { _, settings in
            print(settings?["theme"] ?? "none")
        } failure: { _, error in
            print(error)
        }
    }

    /// Only compiled, because it writes a file.
    static func files(_ request: RequestMessage, _ fileURL: URL) {
        let serializer = AFHTTPRequestSerializer()
        let upload =
            serializer.request(withMultipartFormRequest: request, writingStreamContentsToFile: fileURL) {
                print($0?.detail ?? "written")
            }
        print(upload)
    }
}
