internal import ApusCore
internal import ApusDiagnostics
import Foundation
import HTTPTypes
import Testing

@testable import ApusCore

/// The text of curl commands. `CurlRunTests` runs such commands with a shell and curl.
@Suite struct CurlCommandTests {
    private func text(
        _ method: HTTPRequest.Method = .get,
        _ url: String = "http://h/",
        _ fields: HTTPFields = [.userAgent: "u", .accept: "a"],
        _ body: RequestBody = .none,
        content: CurlCommand.Content? = nil,
        configure: (inout SessionConfiguration) -> Void = { $0.redirects = .refuse }
    ) throws -> String {
        var configuration = SessionConfiguration()
        configure(&configuration)
        let request = try RequestMessage(url, method: method, fields: RequestFields(fields), body: body)
        let text = try CurlCommand.text(request, content: content, configuration: configuration)
        return text.replacing(" -H 'User-Agent: u' -H 'Accept: a'", with: "")
    }

    @Test func namesTheMethodIfCurlWouldChooseAnother() throws {
        #expect(try text() == "curl 'http://h/'")
        #expect(try text(.head) == "curl -I 'http://h/'")
        #expect(try text(.delete) == "curl -X 'DELETE' 'http://h/'")
        #expect(try text(.post) == "curl -H 'Content-Type:' --data-raw '' 'http://h/'")
        #expect(try text(.patch) == "curl -X 'PATCH' -H 'Content-Type:' --data-raw '' 'http://h/'")
        #expect(
            try text(.get, "http://h/", [.userAgent: "u", .accept: "a", .contentType: "t"], .string("x")).hasPrefix(
                "curl -X 'GET' "
            )
        )
    }

    @Test func removesFieldsThatCurlWouldAdd() throws {
        #expect(try text(fields: [:]) == "curl -H 'User-Agent:' -H 'Accept:' 'http://h/'")
        let long = try text(.post, "http://h/", [.contentType: "t"], .string(String(repeating: "x", count: 1024)))
        #expect(long.contains(" -H 'Expect:' "))
    }

    private func text(fields: HTTPFields) throws -> String { try text(.get, "http://h/", fields) }

    @Test func writesFieldsWithoutThoseThatFrameTheBody() throws {
        let fields: HTTPFields = [
            .userAgent: "u", .accept: "a", .contentLength: "9", .transferEncoding: "chunked", .expect: "100-continue",
            .cookie: "a='b'", .contentLanguage: "",
        ]
        #expect(
            try text(.get, "http://h/", fields) == #"curl -H 'Cookie: a='\''b'\''' -H 'Content-Language;' 'http://h/'"#
        )
        let coded = try text(.get, "http://h/", [.userAgent: "u", .accept: "a", .acceptEncoding: "gzip"])
        #expect(coded == "curl --compressed -H 'Accept-Encoding: gzip' 'http://h/'")
        let identity = try text(.get, "http://h/", [.userAgent: "u", .accept: "a", .acceptEncoding: "identity"])
        #expect(!identity.contains("--compressed"))
    }

    @Test(arguments: [
        ("Basic YTpi", " -u 'a:b'"), ("Basic Og==", " -u ':'"), ("Basic YQ==", " -H 'Authorization: Basic YQ=='"),
        ("basic YTpi", " -H 'Authorization: basic YTpi'"),
        ("Basic YToA", " -H 'Authorization: Basic YToA'"), ("Basic YTr/", " -H 'Authorization: Basic YTr/'"),
        ("Bearer x", " -H 'Authorization: Bearer x'"),
    ])
    func writesEquivalentCredentialsAsAUser(value: String, expected: String) throws {
        let fields: HTTPFields = [.userAgent: "u", .accept: "a", .authorization: value]
        #expect(try text(.get, "http://h/", fields) == "curl\(expected) 'http://h/'")
    }

    @Test func removesCredentialsFromTheURL() throws {
        #expect(try text(.get, "http://a:p%20w@h/") == "curl -u 'a:p w' 'http://h/'")
    }

    @Test(arguments: [
        ("http://h/a?b=[1]", "curl -g 'http://h/a?b=[1]'"), ("http://[::1]/", "curl -g 'http://[::1]/'"),
        ("http://h/a/../b", "curl --path-as-is 'http://h/a/../b'"),
        ("http://h/%2E/b", "curl --path-as-is 'http://h/%2E/b'"),
        ("http://h/a?b=/../c", "curl 'http://h/a?b=/../c'"), ("http://h/it's", #"curl 'http://h/it'\''s'"#),
    ])
    func keepsCurlFromChangingTheTarget(url: String, expected: String) throws {
        #expect(try text(.get, url) == expected)
    }

    @Test func writesTheSessionSettingsThatCurlSupports() throws {
        #expect(try text { _ in } == "curl -L --max-redirs '20' 'http://h/'")
        let with = { (change: (inout SessionConfiguration) -> Void) in
            try text { configuration in
                configuration.redirects = .refuse
                change(&configuration)
            }
        }
        #expect(try with { $0.timeouts.request = .milliseconds(1500) } == "curl --max-time '1.500' 'http://h/'")
        #expect(try with { $0.timeouts.request = .nanoseconds(1) } == "curl --max-time '0.001' 'http://h/'")
        #expect(try with { $0.timeouts.request = .seconds(60) } == "curl --max-time '60' 'http://h/'")
        #expect(try with { $0.trust.verification = .none } == "curl -k 'http://h/'")
        #expect(try with { $0.tls.minimumVersion = .v13 } == "curl --tlsv1.3 'http://h/'")
        #expect(try with { $0.trust.roots = .file("/a b.pem") } == "curl --cacert '/a b.pem' 'http://h/'")
        #expect(throws: ApusError.self) { try with { $0.trust.roots = .pem("x") } }
        #expect(throws: ApusError.self) { try with { $0.trust.verification = .chainOnly } }
    }

    @Test func writesTheSettingsOfTLSThatCurlSupports() throws {
        let with = { (change: (inout TLSSettings) -> Void) in
            try text { configuration in
                configuration.redirects = .refuse
                change(&configuration.tls)
            }
        }
        #expect(try with { $0.maximumVersion = .v12 } == "curl --tls-max '1.2' 'http://h/'")
        #expect(try with { $0.curves = [.x25519, .p256] } == "curl --curves 'X25519:P-256' 'http://h/'")
        #expect(throws: ApusError.self) { try with { $0.cipherSuites = ["x"] } }
        #expect(throws: ApusError.self) { try with { $0.serverName = "a" } }
        #expect(throws: ApusError.self) { try with { $0.identity = .pem("certificate") } }
    }

    @Test func writesTheBodyInline() throws {
        let type: HTTPFields = [.userAgent: "u", .accept: "a", .contentType: "t"]
        let post = { (body: RequestBody) in
            try text(.post, "http://h/", type, body).replacing(" -H 'Content-Type: t'", with: "")
        }
        #expect(try post(.string("@x\n")) == "curl --data-raw '@x\n' 'http://h/'")
        #expect(try post(.bytes(Data([0, 0x27]))) == #"printf '\000\047' | curl --data-binary '@-' 'http://h/'"#)
        #expect(try post(.string("\u{1B}")) == #"printf '\033' | curl --data-binary '@-' 'http://h/'"#)
        let long = try post(.string(String(repeating: "x", count: 64 << 10 + 1)))
        #expect(long.hasPrefix("printf 'xxx"))
        #expect(throws: ApusError.self) { try post(.string(String(repeating: "x", count: 1 << 20 + 1))) }
        #expect(throws: ApusError.self) { try post(.replayable { AsyncStream<BodyChunk> { $0.finish() } }) }
        let trailed = RequestBody.string("x").withTrailers(["X-A": "b"])
        #expect(throws: ApusError.self) { try post(trailed) }
        #expect(throws: ApusError.self) { try text(.head, "http://h/", type, .string("x")) }
    }

    @Test func namesFilesAndTheirRanges() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("it's \(UUID().uuidString)")
        try Data("0123456789".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let path = url.path(percentEncoded: false).replacing("'", with: #"'\''"#)
        let type: HTTPFields = [.userAgent: "u", .accept: "a", .contentType: "t"]
        #expect(
            try text(.post, "http://h/", type, .file(url))
                == "curl -H 'Content-Type: t' --data-binary '@\(path)' 'http://h/'"
        )
        #expect(
            try text(.post, "http://h/", type, .file(url, range: 2..<5))
                == "tail -c +3 '\(path)' | head -c 3 | curl -H 'Content-Type: t' --data-binary '@-' 'http://h/'"
        )
    }

    @Test func writesMultipartParts() throws {
        let parts = [
            CurlCommand.Part(name: "a b", value: .text("@x;type=y\n")),
            CurlCommand.Part(name: "-f", value: .file(path: "/x,y/it's", mediaType: "a/b")),
            CurlCommand.Part(name: "f", value: .file(path: "-", mediaType: "a/b")),
        ]
        #expect(parts.allSatisfy { $0.isExpressible })
        let type: HTTPFields = [.userAgent: "u", .accept: "a", .contentType: "multipart/form-data; boundary=x"]
        #expect(
            try text(.post, "http://h/", type, content: .form(parts))
                == "curl -H 'Expect:' --form-string 'a b=@x;type=y\n' -F '-f=@\"/x,y/it'\\''s\";type=a/b' "
                + "-F 'f=@./-;type=a/b' 'http://h/'"
        )
    }

    @Test(arguments: [
        CurlCommand.Part(name: "", value: .text("")), CurlCommand.Part(name: "a=b", value: .text("")),
        CurlCommand.Part(name: "a\"", value: .text("")), CurlCommand.Part(name: "a\\", value: .text("")),
        CurlCommand.Part(name: "a\n", value: .text("")), CurlCommand.Part(name: "a", value: .text("\u{0}")),
        CurlCommand.Part(name: "a", value: .file(path: "/x\"", mediaType: "a/b")),
        CurlCommand.Part(name: "a", value: .file(path: "/x", mediaType: "a")),
        CurlCommand.Part(name: "a", value: .file(path: "/x", mediaType: "a/b;filename=c")),
    ])
    func rejectsPartsThatCurlCannotExpress(part: CurlCommand.Part) {
        #expect(!part.isExpressible)
        #expect(throws: ApusError.self) { try text(.post, "http://h/", [:], content: .form([part])) }
    }
}
