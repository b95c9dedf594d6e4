internal import Apus
internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusDiagnostics

/// Secrets outside of fields with known names: in values, in bodies of various formats, and in paths.
@Suite(.timeLimit(.minutes(5))) struct HARSecretsTests {
    private static let secret = "hunter2"

    private func archive(
        _ url: String = "http://h/",
        fields: HTTPFields = [:],
        type: String? = nil,
        content: String? = nil,
        answering response: MockResponse = MockResponse()
    ) async throws -> String {
        let recorder = HARRecorder()
        let test = TestSession(configuring: { $0.recorder = recorder }) { _ in response }
        var fields = fields
        fields[.contentType] = type
        _ = try await test.session.post(url, fields: RequestFields(fields), body: content.map { .string($0) } ?? .none)
        try await assertNothingLeft(test.session)
        return String(decoding: try recorder.archive.data(), as: UTF8.self)
    }

    @Test(arguments: [
        ("X-Debug", "token=hunter2"), ("X-Info", #"{"password":"hunter2"}"#), ("X-Original-URL", "/x?token=hunter2"),
        ("X-Rewrite-Url", "/a?access_token=hunter2"), ("X-Set-Cookie", "a=hunter2"),
        ("Server-Timing", #"a;desc="token=hunter2""#), ("X-Auth", "Token hunter2"),
        ("X-Note", "Authorization: Token hunter2"), ("X-Next", "https://ada:hunter2@h/?a=hunter2"),
        ("Link", "</a?token=hunter2>; rel=next"), ("X-Back", "/login?next=%2Fx%3Ftoken%3Dhunter2"),
        ("Location", "/x;jsessionid=hunter2"), ("Refresh", "5; url=/x;jsessionid=hunter2?token=hunter2"),
    ])
    func redactsSecretsInFieldValues(name: String, value: String) async throws {
        let field = HTTPField(name: try #require(HTTPField.Name(name)), value: value)
        var fields: HTTPFields = [:]
        fields.append(field)
        let text = try await archive(fields: fields, answering: MockResponse(fields: fields))
        #expect(!text.contains(Self.secret), "\(text)")
        #expect(!Redaction.value(of: field).contains(Self.secret), "\(Redaction.value(of: field))")
    }

    @Test(arguments: [
        ("application/json", #"{"p\u0061ssword":"hunter2"}"#),
        ("application/json", #"[{"name":"password","value":"hunter2"}]"#),
        ("application/json", #"{"key":"hunter2","jwt":"hunter2","otp":"hunter2","code":"hunter2","pin":"hunter2"}"#),
        (
            "application/json",
            #"{"signature":"hunter2","sig":"hunter2","sid":"hunter2","auth":"hunter2","pass":"hunter2"}"#
        ),
        ("text/html", #"<input name="csrf_token" value="hunter2"><meta name="csrf-token" content="hunter2">"#),
        ("text/xml", #"<e k="password">hunter2</e><key>hunter2</key>"#),
        ("text/javascript", #"{'token':'hunter2'} {token:"hunter2"}"#),
        ("text/plain", "password: hunter2"), ("text/plain", "Authorization: Token hunter2"),
        ("application/yaml", "a: 1\nclient_secret: hunter2\n"),
        ("application/jwt", "hunter2"), ("application/at+jwt", "hunter2"),
        ("application/jose+json", #"{"payload":"hunter2"}"#),
        ("application/x-www-form-urlencoded", "SAMLResponse=hunter2&passcode=hunter2&p%61ss=hunter2"),
        // Other bodies are labeled as forms too.
        ("application/x-www-form-urlencoded", #"{"password":"hunter2"}"#),
        ("application/x-www-form-urlencoded", #"{"a":"b&c=d","password":"x=hunter2"}"#),
        ("application/x-www-form-urlencoded", "<password>hunter2</password>"),
        ("application/x-www-form-urlencoded", "X-Api-Key: hunter2"),
        ("application/x-www-form-urlencoded", "Bearer hunter2"),
        ("application/x-www-form-urlencoded", "http://ada:hunter2@h/"),
        ("text/plain", "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--b--\r\n"),
        (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"proof\"\r\nContent-Type: application/jwt\r\n\r\nhunter2\r\n--b--\r\n"
        ),
    ])
    func redactsSecretsInBodies(type: String, content: String) async throws {
        let response = MockResponse(fields: [.contentType: type], body: content)
        let text = try await archive(type: type, content: content, answering: response)
        #expect(!text.contains(Self.secret), "\(text)")
        let message = try RequestMessage(
            "http://h/",
            method: .post,
            fields: [.contentType: type],
            body: .string(content)
        )
        let curl = try message.cURLDescription(includesSecrets: false)
        #expect(!curl.contains(Self.secret), "\(curl)")
    }

    @Test func redactsSecretsInResponseMetadata() async throws {
        let fields: HTTPFields = [
            .contentType: "text/plain; token=hunter2", .setCookie: "a=b; Path=/x?token=hunter2; Domain=token=hunter2",
        ]
        let status = HTTPResponse.Status(code: 200, reasonPhrase: "token=hunter2")
        let text = try await archive(answering: MockResponse(status: status, fields: fields))
        #expect(!text.contains(Self.secret), "\(text)")
        #expect(!"\(RequestEvent.responded(HTTPResponse(status: status)))".contains(Self.secret))
        let part = "--b\r\nContent-Disposition: form-data; name=a; filename=\"token=hunter2\"\r\n\r\nx\r\n--b--\r\n"
        let sent = try await archive(type: "multipart/form-data; boundary=b", content: part, answering: MockResponse())
        #expect(!sent.contains(Self.secret), "\(sent)")
    }

    @Test(arguments: ["application/jwt", "application/jose+json"]) func omitsTokens(type: String) async throws {
        let response = MockResponse(fields: [.contentType: type], body: "hunter2")
        #expect(try await archive(answering: response).contains("left out: it is a token"))
        let open = HARRecorder(includesSecrets: true)
        let test = TestSession(configuring: { $0.recorder = open }) { _ in response }
        _ = try await test.session.get("http://h/")
        #expect(open.archive.entries.first?.response.content.text == "hunter2")
    }

    @Test(arguments: [
        "key=S&client_assertion=S&code_verifier=S&pass=S&passcode=S&subscription-key=S&SAMLResponse=S", "p%61ssword=S",
        "api%5Fkey=S", "user%5Bpassword%5D=S",
    ])
    func redactsSecretsInQueries(query: String) async throws {
        let query = query.replacing("=S", with: "=hunter2")
        let text = try await archive("http://h/x?\(query)&page=3")
        #expect(!text.contains(Self.secret), "\(text)")
        #expect(text.contains("&page=3"))
    }

    @Test func redactsSecretsInPathsAndInQueriesWithoutNames() async throws {
        let token = "4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"
        let location = "y;jsessionid=\(token)?\(token)"
        let response = MockResponse(status: .seeOther, fields: [.location: location])
        let recorder = HARRecorder()
        let test = TestSession {
            $0.recorder = recorder
            $0.redirects = .refuse
        } responding: { _ in
            response
        }
        let url = "http://h/x;jsessionid=\(token);v=1/y;\(token)?\(token)"
        _ = try await test.session.get(url)
        let archive = recorder.archive
        let text = String(decoding: try archive.data(), as: UTF8.self)
        #expect(!text.contains(token), "\(text)")
        let request = try #require(archive.entries.first?.request)
        #expect(request.url == "http://h/x;jsessionid=…;v=1/y;…?…")
        #expect(request.queryString == [HTTPArchive.Pair(name: Redaction.mark, value: "")])
        #expect(archive.entries.first?.response.redirectURL == "y;jsessionid=…?…")
        #expect("\(try TargetURI(url))" == "http://h/x;jsessionid=…;v=…/y;…?…")
    }

    /// The padding of base64 is part of the value, and does not end a name.
    @Test(arguments: [
        (";jsessionid=QUJDREVGR0hJSktMTU5PUA==", ";jsessionid=…"),
        (";jsessionid=QUJDREVGR0hJSktMTU5PUFE=", ";jsessionid=…"),
        (";QWxhZGRpbjpvcGVuIHNlc2FtZTEyMw==", ";…"), (";QWxhZGRpbjpvcGVuIHNlc2FtZTEyMzQ=", ";…"),
        (";jsessionid=;v=1", ";jsessionid=;v=1"),
    ])
    func redactsPaddedSecretsInPaths(parameter: String, shown: String) async throws {
        let view = HARView(includesSecrets: false)
        #expect(view.url("http://h/x\(parameter)/y") == "http://h/x\(shown)/y")
        #expect(view.url("/x\(parameter)?page=3") == "/x\(shown)?page=3")
        let location = HTTPField(name: .location, value: "/x\(parameter)")
        #expect(view.value(of: location) == "/x\(shown)")
        let response = MockResponse(fields: [.location: location.value])
        let text = try await archive("http://h/x\(parameter)/y", answering: response)
        #expect(text.contains("http://h/x\(shown)/y"), "\(text)")
        if parameter != shown { #expect(!text.contains(parameter.dropFirst()), "\(text)") }
    }

    /// A delimiter and a following combining mark form one character, but the delimiter still separates.
    @Test func findsDelimitersBeforeCombiningMarks() async throws {
        let view = HARView(includesSecrets: false)
        #expect(view.url("http://h/?\u{301}token=hunter2").contains(Self.secret) == false)
        #expect(view.url("http://h/?token=\u{301}hunter2") == "http://h/?token=…")
        #expect(view.url("http://h/#\u{301}hunter2") == "http://h/#…")
        #expect(view.query("a=1&\u{301}token=hunter2").contains(Self.secret) == false)
        #expect(view.pairs("token=\u{301}hunter2").map(\.value) == [Redaction.mark])
        #expect(
            view.pairs("next=https:/\u{2F}\u{301}ada:hunter2@\u{301}h").allSatisfy { !$0.value.contains(Self.secret) }
        )
        let cookies: HTTPFields = [
            .cookie: "a=\u{301}hunter2;\u{301}b=hunter2; hunter2", .setCookie: "a=\u{301}hunter2;\u{301}x",
        ]
        let text = try await archive(fields: cookies, answering: MockResponse(fields: cookies))
        #expect(!text.contains(Self.secret), "\(text)")
    }
}
