internal import Testing

@testable internal import ApusEngine

@Suite struct HPACKStaticTableTests {
    @Test func hasTheEntriesOfTheRFC() {
        #expect(Self.lines.count == HPACKStaticTable.count)
        for (position, line) in Self.lines.enumerated() {
            #expect(HPACKStaticTable.shared.header(at: position + 1)?.line == line)
            var reading = HPACKReading()
            reading.read([0x80 | UInt8(position + 1)])
            #expect(reading.lines == [line])
        }
        #expect(HPACKStaticTable.shared.header(at: 0) == nil)
        #expect(HPACKStaticTable.shared.header(at: 62) == nil)
        #expect(HPACKStaticTable.shared.header(at: -1) == nil)
    }

    @Test func findsEachEntry() {
        for (position, line) in Self.lines.enumerated() {
            let parts = HPACKReading.parts(of: line)
            #expect(find(parts.name, parts.value) == HPACKMatch(index: position + 1, hasValue: true))
        }
    }

    @Test func findsTheFirstEntryWithAName() {
        #expect(find(":method", "PUT") == HPACKMatch(index: 2, hasValue: false))
        #expect(find(":path", "") == HPACKMatch(index: 4, hasValue: false))
        #expect(find(":status", "201") == HPACKMatch(index: 8, hasValue: false))
        #expect(find(":status", "500") == HPACKMatch(index: 14, hasValue: true))
        #expect(find("accept-encoding", "gzip") == HPACKMatch(index: 16, hasValue: false))
        #expect(find("www-authenticate", "Basic") == HPACKMatch(index: 61, hasValue: false))
    }

    @Test func findsNoOtherName() {
        for name in ["", ":", ":statu", ":status2", "accept-", "Accept", "x-request-id", "www-authenticat"] {
            #expect(find(name, "") == nil)
            #expect(find(name, "200") == nil)
        }
    }

    private func find(_ name: String, _ value: String) -> HPACKMatch? {
        let name = Array(name.utf8)
        let value = Array(value.utf8)
        return name.withUnsafeBytes { (name: UnsafeRawBufferPointer) -> HPACKMatch? in
            value.withUnsafeBytes { (value: UnsafeRawBufferPointer) -> HPACKMatch? in
                HPACKStaticTable.shared.find(HPACKKey(name: name, value: value), name, value)
            }
        }
    }

    /// RFC 7541, Appendix A.
    private static let lines: [String] = [
        ":authority: ",
        ":method: GET",
        ":method: POST",
        ":path: /",
        ":path: /index.html",
        ":scheme: http",
        ":scheme: https",
        ":status: 200",
        ":status: 204",
        ":status: 206",
        ":status: 304",
        ":status: 400",
        ":status: 404",
        ":status: 500",
        "accept-charset: ",
        "accept-encoding: gzip, deflate",
        "accept-language: ",
        "accept-ranges: ",
        "accept: ",
        "access-control-allow-origin: ",
        "age: ",
        "allow: ",
        "authorization: ",
        "cache-control: ",
        "content-disposition: ",
        "content-encoding: ",
        "content-language: ",
        "content-length: ",
        "content-location: ",
        "content-range: ",
        "content-type: ",
        "cookie: ",
        "date: ",
        "etag: ",
        "expect: ",
        "expires: ",
        "from: ",
        "host: ",
        "if-match: ",
        "if-modified-since: ",
        "if-none-match: ",
        "if-range: ",
        "if-unmodified-since: ",
        "last-modified: ",
        "link: ",
        "location: ",
        "max-forwards: ",
        "proxy-authenticate: ",
        "proxy-authorization: ",
        "range: ",
        "referer: ",
        "refresh: ",
        "retry-after: ",
        "server: ",
        "set-cookie: ",
        "strict-transport-security: ",
        "transfer-encoding: ",
        "user-agent: ",
        "vary: ",
        "via: ",
        "www-authenticate: ",
    ]
}
