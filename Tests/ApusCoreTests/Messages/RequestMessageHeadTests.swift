internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct RequestMessageHeadTests {
    private func request(
        scheme: String? = "https",
        authority: String? = "example.org",
        path: String? = "/a?b=c"
    ) -> HTTPRequest {
        HTTPRequest(method: .post, scheme: scheme, authority: authority, path: path, headerFields: [.accept: "a/b"])
    }

    @Test func hasThePartsOfTheHead() throws {
        let message = try RequestMessage(request(authority: "example.org:8443"), body: .string("x"))
        #expect(message.method == .post)
        #expect(message.target.uri == "https://example.org:8443/a?b=c")
        #expect(message.fields == [.accept: "a/b"])
        #expect(message.body.length == 1)
        #expect(try RequestMessage(request()).body.isNone)
    }

    @Test(arguments: [
        "https://example.org/", "http://example.org:8080/a%20b?c=d&e", "https://[::1]:8443/", "http://127.0.0.1/?",
    ])
    func isTheSameAfterwards(uri: String) throws {
        let message = try RequestMessage(uri, method: .put, fields: [.from: "ada@example.org"])
        let copy = try RequestMessage(message.head)
        #expect(copy.target == message.target)
        #expect(copy.head == message.head)
    }

    @Test func completesTheTarget() throws {
        #expect(try RequestMessage(request(path: nil)).target.uri == "https://example.org/")
        #expect(try RequestMessage(request(path: "")).target.uri == "https://example.org/")
        #expect(try RequestMessage(request(scheme: "HTTP", path: "/a b")).target.uri == "http://example.org/a%20b")
        #expect(try RequestMessage(request(authority: "EXAMPLE.org:443")).target.authority == "example.org")
    }

    @Test func rejectsPartsThatWouldChangeOthers() {
        let refused = [
            request(scheme: nil), request(scheme: "ftp"), request(scheme: ""), request(scheme: "https://evil.org/?"),
            request(authority: nil), request(authority: ""), request(authority: "evil.org/x"),
            request(authority: "evil.org?x"), request(authority: "evil.org#x"), request(authority: "evil.org\\x"),
            request(authority: "example.org:x"), request(authority: "a b"), request(path: "*"), request(path: "a"),
            request(path: "?b"), request(path: ".evil.org/"), request(path: ":8443/"), request(path: "@evil.org/"),
        ]
        for request in refused {
            let error = #expect(throws: ApusError.self) { try RequestMessage(request) }
            #expect(error?.code == .invalidURL)
        }
    }
}
