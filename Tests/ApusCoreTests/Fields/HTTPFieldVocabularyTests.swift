internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct HTTPFieldVocabularyTests {
    typealias Maker = @Sendable (String) throws -> HTTPField

    static let makers: [(String, Maker)] = [
        ("Accept", HTTPField.accept), ("Accept-Charset", HTTPField.acceptCharset),
        ("Accept-Encoding", HTTPField.acceptEncoding), ("Accept-Language", HTTPField.acceptLanguage),
        ("Authorization", { try .authorization($0) }), ("Content-Disposition", HTTPField.contentDisposition),
        ("Content-Encoding", HTTPField.contentEncoding), ("Content-Type", HTTPField.contentType),
        ("User-Agent", HTTPField.userAgent), ("Sec-WebSocket-Protocol", HTTPField.websocketProtocol),
    ]

    /// Parity: AF-headers-factories
    @Test(arguments: makers.indices)
    func createsAField(index: Int) throws {
        let (name, make) = Self.makers[index]
        let field = try make(" a/b; q=\"é\" ")
        #expect(field.name.rawName == name)
        #expect(field.value == "a/b; q=\"é\"")
    }

    @Test(arguments: makers.indices, ["a\r\nb: c", "a\r", "\n", "a\u{0}b", "a\u{7F}"])
    func rejectsControlCharacters(index: Int, value: String) {
        let error = #expect(throws: ApusError.self) { try Self.makers[index].1(value) }
        #expect(error?.code == .invalidField)
        #expect(error?.detail.contains(Self.makers[index].0) == true)
    }

    /// Parity: AF-headers-basic
    @Test(arguments: [("Aladdin", "open sesame"), ("", ""), ("user", "p:w:d"), ("ü", "£日🚀"), ("a b", " ")])
    func createsBasicCredentials(user: String, password: String) throws {
        let field = try HTTPField.authorization(username: user, password: password)
        #expect(field.name == .authorization)
        #expect(field.value == "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
    }

    /// The example of RFC 7617 §2.1.
    /// Parity: AF-headers-basic
    @Test func encodesCredentialsInUTF8() throws {
        #expect(try HTTPField.authorization(username: "test", password: "123£").value == "Basic dGVzdDoxMjPCow==")
    }

    @Test(arguments: [
        ("us:er", "sesame"), (":", ""), ("user\n", "sesame"), ("user", "sesame\r\n"), ("\u{0}", ""), ("", "\u{7F}"),
    ])
    func rejectsAmbiguousCredentials(user: String, password: String) {
        let error = #expect(throws: ApusError.self) {
            try HTTPField.authorization(username: user, password: password)
        }
        #expect(error?.code == .invalidField)
        #expect(error?.detail.contains("sesame") == false)
    }

    /// Parity: AF-headers-bearer
    @Test func createsABearerToken() throws {
        #expect(try HTTPField.authorization(bearerToken: "mF_9.B5f-4.1JqM").value == "Bearer mF_9.B5f-4.1JqM")
        for token in ["sesame\r\n", "sesame\nX: y", "\u{0}sesame"] {
            let error = #expect(throws: ApusError.self) { try HTTPField.authorization(bearerToken: token) }
            #expect(error?.code == .invalidField)
            #expect(error?.detail.contains("sesame") == false)
        }
    }
}
