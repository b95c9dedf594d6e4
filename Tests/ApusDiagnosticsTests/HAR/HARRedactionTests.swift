internal import Apus
internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusDiagnostics

/// Archives are shared, so they contain no secrets by default.
@Suite(.timeLimit(.minutes(5))) struct HARRedactionTests {
    private static let secret = "sesame"

    /// Returns the archive of a request that has the secret in many places.
    private func archive(_ type: String, _ content: String, includesSecrets: Bool = false) async throws -> HTTPArchive {
        let recorder = HARRecorder(includesSecrets: includesSecrets)
        let test = TestSession(configuring: { $0.recorder = recorder }) { request in
            var response = MockResponse(status: request.target.path.hasPrefix("/to") ? .ok : .found, body: content)
            response.fields[.location] = "http://user:sesame@h/to?token=sesame&next=%2Fhome#sesame"
            response.fields[.contentType] = type
            response.fields.append(HTTPField(name: .setCookie, value: "sid=sesame; Path=/"))
            response.fields.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=sesame"))
            return response
        }
        var fields: HTTPFields = [
            .authorization: "Bearer sesame", .cookie: "sid=sesame; a=sesame", .contentType: type,
            .referer: "http://user:sesame@other/?key=sesame",
        ]
        for name in ["X-Api-Key", "X-Session-Token", "X-Amz-Signature"] {
            if let name = HTTPField.Name(name) { fields[name] = "sesame" }
        }
        _ = try await test.session.post(
            "http://ada:sesame@h/?q=swift&access_token=sesame&X-Amz-Signature=sesame&code=sesame"
                + "&back=http%3A%2F%2Fu%3Asesame%40h%2F",
            fields: RequestFields(fields),
            body: .string(content)
        )
        return recorder.archive
    }

    private static let contents = [
        ("application/x-www-form-urlencoded", "user=ada&password=sesame&client_secret=sesame&code=sesame"),
        ("application/json", #"{"user": "ada", "password": "sesame", "deep": [{"api_key": "sesame"}]}"#),
        ("text/xml", "<user>ada</user><password>sesame</password><x token='sesame'/>"),
        (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nsesame\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"user\"\r\n\r\nada\r\n--b--\r\n"
        ),
        ("application/octet-stream", "\u{0}sesame"),
        ("text/plain", "see http://ada:sesame@h/ and Authorization: Bearer sesamesesamesesame"),
    ]

    @Test(arguments: contents)
    func containsNoSecret(type: String, content: String) async throws {
        let archive = try await archive(type, content)
        #expect(archive.entries.count == 2)
        let text = String(decoding: try archive.data(), as: UTF8.self)
        #expect(!text.contains(Self.secret), "\(text)")
        #expect(!text.contains(Data(Self.secret.utf8).base64EncodedString()))
    }

    @Test func keepsTheRest() async throws {
        let archive = try await archive(Self.contents[0].0, Self.contents[0].1)
        let request = try #require(archive.entries.first?.request)
        #expect(request.url == "http://h/?q=swift&access_token=…&X-Amz-Signature=…&code=…&back=…")
        #expect(request.queryString.first == HTTPArchive.Pair(name: "q", value: "swift"))
        #expect(request.queryString.dropFirst().allSatisfy { $0.value == Redaction.mark })
        #expect(request.cookies.map(\.name) == ["sid", "a"])
        #expect(request.postData?.params.first?.value == "ada")
        #expect(archive.entries.first?.response.redirectURL == "http://h/to?token=…&next=…#…")
        #expect(archive.entries.first?.response.cookies.first?.path == "/")
        #expect(archive.entries.last?.request.url == "http://h/to?token=…&next=%2Fhome")
    }

    @Test func includesSecretsIfConfigured() async throws {
        let archive = try await archive(Self.contents[0].0, Self.contents[0].1, includesSecrets: true)
        let request = try #require(archive.entries.first?.request)
        #expect(request.headers.contains { $0.name == "Authorization" && $0.value == "Bearer sesame" })
        #expect(request.url.contains("access_token=sesame"))
        #expect(!request.url.contains("ada"))
        #expect(request.cookies.map(\.value) == ["sesame", "sesame"])
        #expect(request.postData?.params.map(\.value) == ["ada", "sesame", "sesame", "sesame"])
        #expect(archive.entries.first?.response.headers.contains { $0.value.hasPrefix("sid=sesame") } == true)
    }

    /// A value in a form or a query may itself be a document.
    @Test(arguments: [
        "payload=%7B%22password%22%3A%22sesame%22%7D", "payload=%7B%22password%22:+%22sesame%22%7D",
        "x=%3Ctoken%3Esesame%3C%2Ftoken%3E", "state=a%3D1%26access_token%3Dsesame",
        "note=Bearer+sesamesesamesesame",
    ])
    func redactsSecretsInValues(query: String) throws {
        let view = HARView(includesSecrets: false)
        let name = query.prefix { $0 != "=" }
        #expect(view.query("a=1&\(query)&b=%7B%22page%22%3A2%7D") == "a=1&\(name)=…&b=%7B%22page%22%3A2%7D")
        #expect(view.url("http://h/?\(query)#x") == "http://h/?\(name)=…#…")
        let pairs = view.pairs("\(query)&b=%7B%22page%22%3A2%7D")
        #expect(pairs.map(\.name) == [String(name), "b"])
        #expect(pairs.first?.value.contains(Self.secret) == false)
        #expect(pairs.last?.value == #"{"page":2}"#)
        #expect(HARView(includesSecrets: true).pairs(query).first?.value.contains(Self.secret) == true)
        #expect(HARView(includesSecrets: true).query(query) == query)
    }

    @Test func showsNothingInReflection() async throws {
        let recorder = HARRecorder()
        let test = TestSession(configuring: { $0.recorder = recorder }) { _ in MockResponse(body: "sesame") }
        _ = try await test.session.get("http://h/?token=sesame")
        var dumped = ""
        dump(recorder, to: &dumped)
        #expect(!dumped.contains("sesame"))
        #expect("\(recorder)" == "HARRecorder of 1")
    }

    @Test(arguments: [
        ("authorization", true), ("X-Refresh-Token", true), ("password", true), ("newPassword", true), ("sig", true),
        ("X-Goog-Signature", true), ("key", true), ("q", false), ("page", false), ("design", false),
        ("keyboard", false),
        ("Sec-WebSocket-Key", false), ("barcode", false),
    ])
    func recognizesSecretsByTheirNames(name: String, isSecret: Bool) {
        #expect(SecretName.isSecret(name) == isSecret)
    }
}
