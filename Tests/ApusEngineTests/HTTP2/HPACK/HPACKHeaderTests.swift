internal import HTTPTypes
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite struct HPACKHeaderTests {
    /// ASCII, UTF-8, and bytes that are neither.
    static let values: [[UInt8]] = [
        [0x61, 0x62], [0x61, 0x09, 0x62], [0xC3, 0xA9], [0xE9], [0x61, 0xFF, 0xFE, 0x62], [0xE2, 0x82], [0x80], [],
        [0xF0, 0x9F, 0x98, 0x80],
    ]

    private func role(_ name: String) -> HTTPFieldRole? {
        guard case .field(_, let role) = HPACKHeader(name: name, value: "").name else { return nil }
        return role
    }

    private func pseudoField(_ name: String) -> HTTP2PseudoField? {
        guard case .pseudo(let field) = HPACKHeader(name: name, value: "").name else { return nil }
        return field
    }

    @Test func knowsTheRolesOfFields() {
        #expect(role("content-length") == .contentLength)
        #expect(role("transfer-encoding") == .transferEncoding)
        #expect(role("connection") == .connection)
        #expect(role("host") == .host)
        #expect(role("upgrade") == .upgrade)
        #expect(role("content-encoding") == .demanding)
        #expect(role("set-cookie") == .demanding)
        #expect(role("strict-transport-security") == .demanding)
        #expect(role("te") == .headOnly)
        #expect(role("keep-alive") == .headOnly)
        #expect(role("proxy-connection") == .headOnly)
        #expect(role("server") == .plain)
        #expect(role("x-not-in-any-table") == .plain)
        #expect(role(String(repeating: "x", count: 10_000)) == .plain)
    }

    @Test(arguments: [
        "", " ", "Content-Type", "content-Type", "SERVER", "a b", " a", "a ", "a:b", "a:", "\u{E9}", "a\u{0}",
        "a\u{7F}", "a\r\n", "a,", "a(", "\u{212A}",
    ])
    func rejectsName(name: String) {
        let header = HPACKHeader(name: name, value: "v")
        #expect(header.nameText == "invalid")
        #expect(header.field == nil)
        #expect(header.value == "v")
        #expect(header.byteCount == name.utf8.count + 33)
    }

    @Test func acceptsAllCharactersOfATokenExceptUppercase() {
        for octet in UInt8.min...UInt8.max where octet != HTTPOctets.colon {
            let name = [octet].withUnsafeBytes { (name: UnsafeRawBufferPointer) -> HPACKHeader.Name in
                HPACKHeader.Name(name)
            }
            let isUppercase = octet >= 0x41 && octet <= 0x5A
            var isField = false
            if case .field = name { isField = true }
            #expect(isField == (HTTPOctets.isToken(octet) && !isUppercase))
        }
    }

    @Test func knowsPseudoFields() {
        #expect(pseudoField(":status") == .status)
        #expect(pseudoField(":method") == .method)
        #expect(pseudoField(":scheme") == .scheme)
        #expect(pseudoField(":authority") == .authority)
        #expect(pseudoField(":path") == .path)
        #expect(pseudoField(":protocol") == .protocol)
        for name in [":", ":Status", ":STATUS", ":statu", ":status ", "::status", ":other", ":\u{E9}"] {
            #expect(pseudoField(name) == .unknown)
        }
        #expect(HPACKHeader(name: ":status", value: "200").field == nil)
    }

    @Test(arguments: ["", "a", "a b", "a\tb", "\u{E9}", "a, b; c=\"d\"", "\u{1F600}", "0123456789abcdef, 0123456789"])
    func acceptsValue(value: String) {
        let header = HPACKHeader(name: "a", value: value)
        #expect(header.isValueValid)
        #expect(header.value == value)
        #expect(header.field?.value == value)
        #expect(header.byteCount == value.utf8.count + 33)
    }

    @Test(arguments: [
        " ", "\t", " a", "a ", "\ta", "a\t", "a\u{0}b", "a\rb", "a\nb", "a\r\nb", "\u{0}", "\u{1F}", "a\u{7F}",
        "0123456789abcdef\u{0}", "0123456789abcdef ",
    ])
    func reportsValue(value: String) {
        let header = HPACKHeader(name: "a", value: value)
        #expect(!header.isValueValid)
        #expect(header.value == value)
    }

    /// The values are those of the parser for HTTP/1.1.
    @Test(arguments: values)
    func makesValuesAsHTTP1Does(octets: [UInt8]) throws {
        var parser = HTTP1ResponseParser(limits: HTTP1Limits())
        parser.begin(method: .head)
        var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nx-a: ")
        buffer.writeBytes(octets)
        buffer.writeString("\r\n\r\n")
        guard case .head(let head)? = try parser.next(&buffer), let expected = head.fields.first else {
            Issue.record("a head with a field was expected")
            return
        }
        var reading = HPACKReading()
        var block: [UInt8] = [0x40, 0x03, 0x78, 0x2D, 0x61, UInt8(octets.count)]
        block += octets
        block.append(0xBE)
        reading.read(block)
        #expect(reading.headers.count == 2)
        for header in reading.headers {
            #expect(header.field == expected)
            #expect(header.field?.name.rawName == "x-a")
            #expect(header.value == expected.value)
            #expect(header.valueOctets == octets)
            #expect(header.isValueValid)
            #expect(header.byteCount == octets.count + 35)
        }
    }
}
