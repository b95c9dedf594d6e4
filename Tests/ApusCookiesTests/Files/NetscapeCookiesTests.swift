internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusCookies

@Suite struct NetscapeCookiesTests {
    private func cookies(_ text: String) throws -> [Cookie] {
        try NetscapeCookies.cookies(in: Data(text.utf8))
    }

    @Test func writesTheFormatOfCurl() throws {
        let end = Date(timeIntervalSince1970: 1_800_000_000.9)
        let data = NetscapeCookies.data(of: [
            try Cookie(
                name: "a",
                value: "1",
                domain: "example.org",
                isHostOnly: false,
                expires: end,
                isSecure: true,
                isHTTPOnly: true
            ),
            try Cookie(name: "b", value: "", domain: "www.example.org", path: "/x y"),
            try Cookie(name: "tab", value: "1\t2", domain: "example.org"),
            try Cookie(name: "past", value: "=", domain: "::1", expires: .distantPast),
        ])
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("# ") }
        #expect(
            lines == [
                "#HttpOnly_.example.org\tTRUE\t/\tTRUE\t1800000000\ta\t1",
                "www.example.org\tFALSE\t/x y\tFALSE\t0\tb\t",
                "::1\tFALSE\t/\tFALSE\t1\tpast\t=",
            ]
        )
        #expect(data.starts(with: Data("# Netscape HTTP Cookie File\n".utf8)))
    }

    @Test func readsItsOwnOutput() throws {
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let written = [
            try Cookie(
                name: "a",
                value: "ä",
                domain: "example.org",
                isHostOnly: false,
                expires: date,
                isSecure: true,
                created: date
            ),
            try Cookie(name: "", value: "b=c", domain: "example.org", path: "/x", isHTTPOnly: true, created: date),
        ]
        let read = try NetscapeCookies.cookies(in: NetscapeCookies.data(of: written)).map { cookie in
            var cookie = cookie
            cookie.created = date
            cookie.lastAccessed = date
            return cookie
        }
        #expect(read == written)
    }

    @Test func readsFilesOfOtherPrograms() throws {
        let text = """
            # HTTP Cookie File
            # This is a generated file! Do not edit.

            .example.org\tTRUE\t/\tFALSE\t2000000000\ta\t1\r
              \t
            example.org\tTRUE\t/\tTRUE\t\tb\t2
            #example.org\tFALSE\t/\tFALSE\t0\tcomment\t1
            #HttpOnly_www.example.org\tFALSE\t/p\tFALSE\t-1\tc
            """
        let cookies = try cookies(text)
        #expect(cookies.map(\.name) == ["a", "b", "c"])
        #expect(cookies.map(\.isHostOnly) == [false, false, true])
        #expect(cookies.map(\.isHTTPOnly) == [false, false, true])
        #expect(cookies.map(\.isPersistent) == [true, false, true])
        #expect(cookies.map(\.value) == ["1", "2", ""])
        #expect(cookies[2].isExpired(at: Date(timeIntervalSince1970: 0)))
    }

    @Test(arguments: [
        "example.org", "example.org\tTRUE\t/\tFALSE\t0", "example.org\tTRUE\t/\tFALSE\t0\ta\tb\tc",
        "example.org\tyes\t/\tFALSE\t0\ta\tb",
        "example.org\tTRUE\t/\t1\t0\ta\tb", "example.org\tTRUE\t/\tFALSE\tsoon\ta\tb",
        "example.org\tTRUE\tx\tFALSE\t0\ta\tb",
        "exa mple.org\tTRUE\t/\tFALSE\t0\ta\tb", "example.org\tTRUE\t/\tFALSE\t0\ta;\tb",
        "example.org\tTRUE\t/\tFALSE\t0\ta\tb\r\r", "\tTRUE\t/\tFALSE\t0\ta\tb",
        "example.org\tTRUE\t/\tFALSE\t0\t\t", "example.org\tFALSE\t/\tFALSE\t0\t__Host-a\tb",
        "example.org\tTRUE\t/\tFALSE\t0\ta\u{0}\tb",
    ])
    func namesTheInvalidLine(line: String) throws {
        let error = #expect(throws: CookieFileFault.self) { try cookies("# comment\n\(line)\n") }
        #expect(error?.description.contains("line 2") == true)
    }

    @Test func rejectsInvalidUTF8() throws {
        #expect(throws: CookieFileFault.self) { try NetscapeCookies.cookies(in: Data([0x23, 0xFF])) }
    }
}
