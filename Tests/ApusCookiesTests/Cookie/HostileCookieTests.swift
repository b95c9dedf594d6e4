internal import Apus
internal import ApusTestServer
internal import Foundation
internal import Testing

@testable internal import ApusCookies

/// Parses fields, dates and files that are random combinations of fragments. The seed is fixed.
@Suite struct HostileCookieTests {
    private static let pieces = [
        "a", "b", "sid", "=", "==", ";", "; ", ",", " ", "\t", "\"", "\\", "/", "/a", "..", ".", ":", "-", "%", "%00",
        "\r\n", "\n", "\0", "\u{7F}", "é",
        "e\u{301}", "\u{1F426}", "\u{FEFF}", "\u{202E}", "Path=", "Path=/", "Domain=", "Domain=.", "example.org", "org",
        "[::1]", "127.0.0.1", "Max-Age=",
        "Max-Age=-", "Expires=", "09 Nov 2094 08:49:37", "09", "Nov", "94", "08:49:37", "Secure", "HttpOnly",
        "SameSite=", "Strict", "__Host-", "__Secure-", "TRUE",
        "FALSE", "#HttpOnly_", "#", "0", "1", "99999999999999999999", "{", "}", "[", "]",
        "{\"format\":\"apus-cookies\",\"version\":1,\"cookies\":[", "null",
    ]
    private static let targets = [
        "https://www.example.org/a;b/c?d", "http://example.org/", "https://[::1]:8443/%20/x", "http://127.0.0.1/a//b",
        "https://co.uk/", "http://localhost/é/",
        "https://a_b.example.org.:81/x",
    ]

    private var numbers = SeededGenerator(seed: 6265)

    private mutating func number(below count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }

    private mutating func bytes() -> [UInt8] {
        var bytes = (0..<number(below: 12)).flatMap { _ in Array(Self.pieces[number(below: Self.pieces.count)].utf8) }
        if number(below: 4) == 0, !bytes.isEmpty { bytes[number(below: bytes.count)] = UInt8(number(below: 256)) }
        return bytes
    }

    /// Each cookie accepted from the network can be written to a file and read back.
    @Test mutating func acceptsOnlyCookiesThatCanBeWritten() throws {
        let targets = try Self.targets.map { try TargetURI($0) }
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        var accepted: [Cookie] = []
        for _ in 0..<60_000 {
            let field = bytes()
            let target = targets[number(below: targets.count)]
            guard let cookie = try? Cookie(receiving: field, from: target, at: now, limits: CookieLimits()) else {
                continue
            }
            #expect(cookie.fault == nil, "\(String(decoding: field, as: UTF8.self))")
            #expect(cookie.keepsPrefixPromise)
            #expect(CookieScope.host(target.origin.host, matches: cookie.domain))
            accepted.append(cookie)
        }
        #expect(accepted.count > 5_000)
        let table = accepted.prefix(5_000)
        #expect(try CookieDocument.cookies(in: CookieDocument.data(of: Array(table))).count == table.count)
        let plain = table.filter { cookie in ![cookie.name, cookie.value, cookie.path].contains { $0.contains("\t") } }
        let read = try NetscapeCookies.cookies(in: NetscapeCookies.data(of: Array(table)))
        #expect(read.map(\.name) == plain.map(\.name))
        #expect(read.map(\.value) == plain.map(\.value))
        #expect(read.map(\.path) == plain.map(\.path))
    }

    @Test mutating func readsOrRejectsAnyFile() {
        var readCount = 0
        for _ in 0..<20_000 {
            let data = Data(bytes())
            if (try? NetscapeCookies.cookies(in: data)) != nil { readCount += 1 }
            if (try? CookieDocument.cookies(in: data)) != nil { readCount += 1 }
            _ = CookieDate.date(in: Array(data)[...])
            _ = PublicSuffixList.embedded.registrableDomain(of: String(decoding: data, as: UTF8.self))
        }
        #expect(readCount > 0)
    }
}
