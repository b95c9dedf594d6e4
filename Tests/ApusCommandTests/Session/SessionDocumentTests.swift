import Apus
import Foundation
import Testing

@testable import ApusCommand

@Suite struct SessionDocumentTests {
    private func cookie(_ json: JSONValue, name: String? = nil) throws -> SessionCookie? {
        try SessionCookie.read(json.object ?? [:], name: name)
    }

    @Test func readsItsOwnOutput() throws {
        var document = SessionDocument()
        document.fields = [.accept: "text/html"]
        document.authorization = SessionDocument.Authorization(scheme: "bearer", text: "x")
        document.cookies = [
            SessionCookie(name: "a", value: "1", domain: ".h.example", path: "/x", expires: 7, isSecure: true),
            SessionCookie(name: "b", value: "", domain: nil, path: "/", expires: nil, isSecure: false),
        ]
        let reread = try SessionDocument(document.data)
        #expect(reread.fields == document.fields)
        #expect(reread.authorization == document.authorization)
        #expect(reread.cookies == document.cookies)
        #expect(reread.isAsRead)
        #expect(String(decoding: document.data.suffix(2), as: UTF8.self) == "}\n")
    }

    @Test func detectsEveryChange() throws {
        let read = try SessionDocument(SessionDocument().data)
        #expect(read.isAsRead)
        var changed = read
        changed.fields = [.accept: "a"]
        #expect(!changed.isAsRead)
        changed = read
        changed.authorization = SessionDocument.Authorization(scheme: "basic", text: "a:b")
        #expect(!changed.isAsRead)
        changed = read
        changed.cookies = [SessionCookie(name: "a", value: "", domain: nil, path: "/", expires: nil, isSecure: false)]
        #expect(!changed.isAsRead)
    }

    @Test(
        arguments: [
            (#"{"type": "basic", "username": "ada", "password": "a:b"}"#, "ada:a:b"),
            (#"{"type": "digest", "username": "ada", "password": null}"#, "ada"),
            (#"{"type": "basic", "raw_auth": "ada"}"#, "ada"),
            (#"{"type": "", "raw_auth": "ada"}"#, nil), ("{}", nil), ("null", nil),
        ] as [(String, String?)]
    )
    func readsCredentials(json: String, text: String?) throws {
        let document = try SessionDocument(Data("{\"auth\": \(json)}".utf8))
        #expect(document.authorization?.text == text)
    }

    @Test func limitsItsSize() throws {
        let many = (0...1000).map { "{\"name\": \"X-\($0)\", \"value\": \"1\"}" }.joined(separator: ",")
        #expect(throws: SessionFault.self) { try SessionDocument(Data("{\"headers\": [\(many)]}".utf8)) }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: SessionFault.self) { try SessionDocument(Data(deep.utf8)) }
    }

    @Test func showsNoSecretOfADamagedFile() {
        for json in [#"{"headers": {"X": "top\nsecret"}}"#, #"{"auth": {"type": 1, "raw_auth": "secret"}}"#] {
            let fault = #expect(throws: SessionFault.self) { try SessionDocument(Data(json.utf8)) }
            #expect(fault?.reason.contains("secret") == false)
        }
    }

    @Test func bindsCookiesToTheirHosts() throws {
        func bound(_ domain: JSONValue) throws -> Cookie? {
            try cookie(["name": "a", "value": "1", "domain": domain])?.cookie(boundTo: "here.example")
        }
        let exact = try bound("h.example")
        #expect(exact?.domain == "h.example" && exact?.isHostOnly == true && exact?.path == "/")
        let wide = try bound(".h.example")
        #expect(wide?.domain == "h.example" && wide?.isHostOnly == false)
        for none in [JSONValue.null, ""] {
            let unbound = try bound(none)
            #expect(unbound?.domain == "here.example" && unbound?.isHostOnly == true)
        }
        // Python's name for localhost.
        #expect(try bound("localhost.local")?.domain == "localhost")
        #expect(try bound("no host") == nil)
    }

    @Test func writesCookiesInPythonsFormat() throws {
        let local = try Cookie(name: "a", value: "1", domain: "localhost")
        #expect(SessionCookie(local).domain == "localhost.local")
        let wide = try Cookie(name: "a", value: "1", domain: "h.example", isHostOnly: false, isSecure: true)
        #expect(SessionCookie(wide).domain == ".h.example" && SessionCookie(wide).isSecure)
        let end = Date(timeIntervalSince1970: 1234.9)
        #expect(SessionCookie(try Cookie(name: "a", value: "1", domain: "h", expires: end)).expires == 1234)
        for far in [Date.distantPast, .distantFuture] {
            let cookie = try Cookie(name: "a", value: "1", domain: "h", expires: far)
            #expect(SessionCookie(cookie).json["expires"]?.int != nil)
        }
    }

    @Test(arguments: ["1e300", "-1e300", "123456789012345678901234567890", "0.5"])
    func acceptsAnyExpiryDate(number: String) throws {
        let found = try cookie(try JSONValue(parsing: #"{"name": "a", "value": "1", "expires": \#(number)}"#))
        #expect(found?.json["expires"]?.int != nil)
        #expect(found?.cookie(boundTo: "h") != nil)
    }
}
