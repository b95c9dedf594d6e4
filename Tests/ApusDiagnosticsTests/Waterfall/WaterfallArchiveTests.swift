internal import ApusCore
internal import ApusJSON
internal import Foundation
internal import Testing

@testable internal import ApusDiagnostics

@Suite struct WaterfallArchiveTests {
    private func archive(_ text: String) throws -> HTTPArchive {
        try JSONContentDecoder().decode(HTTPArchive.self, from: Data(text.utf8))
    }

    @Test func drawsArchivesOfChrome() throws {
        let waterfall = Waterfall(try archive(ArchiveFixtures.chrome))
        let paths = ["shop.example/?session=…", "cdn.example/lib.js", "data:image/png;base64,AAAA"]
        #expect(waterfall.rows.map(\.path) == paths)
        #expect(waterfall.rows.map(\.outcome) == [.status(200), .failed, .status(200)])
        let first = waterfall.rows[0]
        #expect(first.spans.map(\.phase) == [.queue, .resolve, .connect, .tls, .send, .wait, .receive])
        let times = [5250, 10_500, 20_250, 20_000, 500, 30_000, 13_500]
        #expect(first.spans.map(\.duration) == times.map { .microseconds($0) })
        #expect(waterfall.rows.map(\.begin) == [0, 110_000_000, 120_000_000])
        #expect(waterfall.summary == "3 requests in 120 ms")
        for picture in [waterfall.text(columns: 120), waterfall.svg()] { #expect(!picture.contains("sesame")) }
        #expect(waterfall.svg().contains("ERR_BLOCKED_BY_CLIENT"))
    }

    @Test func drawsArchivesOfFirefox() throws {
        let archive = try archive(ArchiveFixtures.firefox)
        let waterfall = Waterfall(archive)
        // A single host is not named, but pages are.
        #expect(waterfall.rows.map(\.path) == ["/login", "/home"])
        #expect(waterfall.rows.map(\.name) == ["One", "Two"])
        // Firefox counts TLS outside of the connect time.
        #expect(waterfall.rows[0].spans.map(\.phase) == [.resolve, .connect, .tls, .wait])
        #expect(waterfall.rows[0].duration == .milliseconds(86))
        #expect(waterfall.duration == .milliseconds(5125))
        #expect(Waterfall(archive, idleTime: .cut).duration == .milliseconds(111))
    }

    @Test func keepsTheExchangesOfARequestTogether() throws {
        func entry(_ path: String, at time: Int, request: Int64, cause: ExchangeCause) throws -> String {
            """
            {"startedDateTime": "2026-05-01T12:00:00.\(time)Z", "_request": \(request), "_cause": "\(cause.rawValue)",
             "request": {"method": "GET", "url": "http://h\(path)"}, "response": {"status": 200},
             "timings": {"send": 0, "wait": 5, "receive": 0}}
            """
        }
        let entries = [
            try entry("/c", at: 300, request: 2, cause: .first), try entry("/a", at: 100, request: 1, cause: .first),
            try entry("/b", at: 400, request: 1, cause: .redirect), try entry("/d", at: 301, request: 3, cause: .first),
        ]
        let waterfall = Waterfall(try archive(#"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#))
        #expect(waterfall.rows.map(\.path) == ["/a", "/b", "/c", "/d"])
        #expect(waterfall.rows.map(\.cause) == [.first, .redirect, .first, .first])
        #expect(waterfall.summary == "3 requests, 4 exchanges in 305 ms")
    }

    @Test func namesTheStreamInTheDetails() throws {
        let text = #"""
            {"log": {"entries": [{"startedDateTime": "2026-05-01T12:00:00Z", "connection": "3", "_stream": 5,
              "request": {"method": "GET", "url": "http://h"},
              "response": {"status": 204, "httpVersion": "HTTP/2.0"}}]}}
            """#
        let row = try #require(Waterfall(try archive(text)).rows.first)
        #expect(row.details.contains("connection 3, stream 5, HTTP/2.0"))
    }

    @Test func drawsTheTotalTimeWithoutPhases() throws {
        let text = #"""
            {"log": {"entries": [{"startedDateTime": "2026-05-01T12:00:00Z", "time": 12,
              "request": {"method": "GET", "url": "http://h"}, "response": {"status": 204}}]}}
            """#
        let row = try #require(Waterfall(try archive(text)).rows.first)
        #expect(row.path == "/")
        #expect(row.spans.map(\.duration) == [.milliseconds(12)])
        #expect(Waterfall(try archive(#"{"log": {"entries": []}}"#)).text() == "no requests")
    }

    @Test func replacesControlCharactersAndMarkup() throws {
        let text = #"""
            {"log": {"pages": [
              {"id": "\u001b]0;x", "title": "<script>\u001b[2J", "startedDateTime": "2026-05-01T12:00:00Z"},
              {"id": "2", "title": "", "startedDateTime": "2026-05-01T12:00:00Z"}],
              "entries": [{"startedDateTime": "2026-05-01T12:00:00Z", "pageref": "\u001b]0;x", "connection": "\u0007",
              "request": {"method": "<b>\u001b[31m",
                "url": "https://user:sesame@h/\u001b[2J<script>?token=sesame#sesame"},
              "response": {"status": 200, "statusText": "\r\n\u009b", "_error": "see http://user:sesame@h/"}}]}}
            """#
        let waterfall = Waterfall(try archive(text))
        for picture in [waterfall.text(columns: 120), waterfall.svg()] {
            let steers = picture.unicodeScalars.filter { $0.value < 0x20 && $0 != "\n" || $0.value == 0x9B }
            #expect(steers.isEmpty)
            #expect(!picture.contains("sesame"))
        }
        #expect(!waterfall.svg().contains("<script>") && !waterfall.svg().contains("<b>"))
    }
}
