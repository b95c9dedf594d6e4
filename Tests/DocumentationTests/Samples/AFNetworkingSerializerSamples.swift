internal import Apus
internal import ApusAFNetworking
internal import ApusDocuments
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

struct LineSerializer: AFHTTPResponseSerialization {
    var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    var acceptableContentTypes: Set<String>? = ["text/plain", "text/*"]

    func parse(_ data: Data, of response: HTTPResponse) throws -> [String]? {
        String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// The code of the comments on serializers in AFNetworking's style.
@Suite(.timeLimit(.minutes(5)))
struct AFNetworkingSerializerSamples {
    @Test func requests() throws {
        var serializer = AFHTTPRequestSerializer()
        try serializer.setValue("blue", forHTTPHeaderField: "X-Request-Tag")
        let request = try serializer.request(
            withMethod: .post,
            urlString: "https://api.example.org/users",
            parameters: ["name": "Ada"]
        )
        #expect(request.body.length == 8)
    }

    @Test func forms() throws {
        let serializer = AFHTTPRequestSerializer()
        let request = try serializer.multipartFormRequest(
            withMethod: .post,
            urlString: "https://api.example.org/icons",
            parameters: ["name": "Ada"]
        ) { form in
            try form.appendPart(withFileData: Data([137, 80]), name: "icon", fileName: "i.png", mimeType: "image/png")
        }
        #expect(request.fields[.contentType]?.hasPrefix("multipart/form-data") == true)
    }

    @Test func responses() {
        #expect(LineSerializer().acceptableContentTypes?.count == 2)
        var serializer = AFJSONResponseSerializer()
        serializer.acceptableContentTypes?.insert("text/html")
        serializer.removesKeysWithNullValues = true
        #expect(serializer.acceptableContentTypes?.contains("text/html") == true)
    }

    @Test func compounds() {
        let serializer = AFCompoundResponseSerializer([AFJSONResponseSerializer(), AFXMLDocumentResponseSerializer()])
        #expect(serializer.responseSerializers.count == 2)
    }

    /// Only compiled, because it needs a network.
    static func events() async throws {
        let response = try await Session().get("https://api.example.org/feed")
        let feed = AFXMLParserResponseSerializer().responseObject(for: response.head, data: response.data)
        var events = feed.object
        try events?.parse { print($0) }
    }

    /// Only compiled, because it reads a file that does not exist.
    static func policies() throws {
        let authority = try Data(contentsOf: URL(filePath: "/etc/ssl/private-authority.cer"))
        var policy = AFSecurityPolicy(pinningMode: .certificate, pinnedCertificates: [authority])
        // The system does not know the private authority.
        policy.allowInvalidCertificates = true
        let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/"))
        try manager.setSecurityPolicy(policy)
    }
}
