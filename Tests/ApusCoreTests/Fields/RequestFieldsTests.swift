internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct RequestFieldsTests {
    /// Parity: AF-headers-collection
    @Test func areWrittenAsADictionary() throws {
        let tag = "blue"
        let fields: RequestFields = ["X-Tag": tag, .accept: "a/b", "x-tag": "  red\t"]
        #expect(try fields.checked().map { "\($0.name): \($0.value)" } == ["X-Tag: blue", "Accept: a/b", "x-tag: red"])
        #expect(fields["x-TAG"] == "blue, red")
        #expect(fields[.accept] == "a/b" && fields[.range] == nil && fields["no name"] == nil)
        #expect(try RequestFields(["b": "2", "a": "1"]).checked().map(\.value) == ["1", "2"])
    }

    /// Such a name comes from a message of HTTP/2 that is passed on.
    @Test func rejectPseudoHeaderFields() throws {
        let name = try #require(HTTPField.Name(parsed: ":path"))
        for fields in [[RequestFieldName(name): "x"], [RequestField(HTTPField(name: name, value: "x"))]]
            as [RequestFields]
        {
            let error = #expect(throws: ApusError.self) { try fields.checked() }
            #expect(error?.code == .invalidField)
            #expect(error?.detail.hasPrefix(":path is a pseudo-header field") == true)
        }
    }

    /// Parity: AF-headers-collection, AF-headers-factories, AF-headers-basic, AF-headers-bearer
    @Test func areWrittenAsAList() throws {
        let fields: RequestFields = [
            .authorization(bearerToken: "mF_9"), .accept("a/b"), .userAgent("x"), .contentType("c/d"),
            .acceptLanguage("en"), .acceptCharset("utf-8"), .acceptEncoding("br"), .contentEncoding("gzip"),
            .contentDisposition("inline"), .websocketProtocol("chat"), RequestField("X-Tag", "blue"),
            RequestField(HTTPField(name: .from, value: "me")),
        ]
        let names = try fields.checked().map(\.name.canonicalName)
        #expect(
            names == [
                "authorization", "accept", "user-agent", "content-type", "accept-language", "accept-charset",
                "accept-encoding", "content-encoding", "content-disposition", "sec-websocket-protocol", "x-tag", "from",
            ]
        )
        #expect(fields[.authorization] == "Bearer mF_9")
        let basic: RequestFields = [.authorization(username: "ada", password: "lovelace")]
        #expect(basic[.authorization] == "Basic YWRhOmxvdmVsYWNl")
        #expect(([.authorization("Own x")] as RequestFields)[.authorization] == "Own x")
    }

    /// Parity: AF-headers-update
    @Test func areChanged() throws {
        var fields: RequestFields = [.accept: "a/b", "X-Tag": "1"]
        fields.append("X-Tag", "2")
        fields.append(.contentType("c/d"))
        #expect(fields["X-Tag"] == "1, 2")
        fields["X-Tag"] = "3"
        fields.update(.accept("e/f"))
        fields.append(contentsOf: ["Y": "4"])
        fields[.contentType] = nil
        fields.remove("z")
        #expect(try fields.checked().map { "\($0.name): \($0.value)" } == ["X-Tag: 3", "Accept: e/f", "Y: 4"])
    }

    @Test(
        arguments: [
            (["Bad Name": "x"], "\"Bad Name\" is not a valid field name"),
            (["": "x"], "\"\" is not a valid field name"),
            (["X-Tag": "a\r\nEvil: b"], "the value of X-Tag has a carriage return at byte 1"),
            ([.accept: "a\0"], "the value of Accept has a NUL at byte 1"),
        ] as [(RequestFields, String)]
    )
    func areCheckedWhenTheRequestIsMade(fields: RequestFields, reason: String) async throws {
        let test = TestSession { _ in MockResponse() }
        let session = test.session
        let errors = [
            await failure { try await session.get("http://h/", fields: fields) },
            await failure { _ = try await session.stream("http://h/", fields: fields) },
            await session.request("http://h/", fields: fields).serializingData().response.error,
            await session.request("http://h/", parameters: ["a": 1], fields: fields).serializingData().response.error,
            await failure { try await session.post("http://h/", parameters: ["a": 1], fields: fields) },
        ]
        for error in errors {
            #expect(error?.code == .invalidField)
            #expect(error?.detail.contains(reason) == true)
        }
        #expect(test.transport.requests.isEmpty)
        #expect(throws: ApusError.self) { try RequestMessage("http://h/", fields: fields) }
        try await assertNothingLeft(session)
    }

    @Test func keepsItsFirstFault() {
        var fields: RequestFields = ["a b": "1"]
        fields.append("c d", "2")
        fields["e"] = "3"
        fields.append(contentsOf: ["f g": "4"])
        fields.remove("h i")
        #expect(throws: ApusError.self) { try fields.checked() }
        #expect("\(fields)".contains("\"a b\""))
        #expect(!"\(fields)".contains("c d"))
    }

    @Test func showsNoSecret() {
        let fields: RequestFields = [.authorization: "sesame", "X-Api-Key": "sesame", .accept: "a/b"]
        for text in ["\(fields)", String(reflecting: fields), "\(RequestField(.authorization, "sesame"))"] {
            #expect(!text.contains("sesame"))
        }
        #expect("\(fields)".contains("a/b"))
        #expect(!String(reflecting: RequestField(.authorization, "sesame")).contains("sesame"))
    }
}
