internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct HTTPDateTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("Friday, 01-Jan-60 00:00:00 GMT", 2_840_140_800),
        ("Friday, 01-Jan-99 00:00:00 GMT", 915_148_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
    func reads(_ text: String, _ seconds: Double) {
        #expect(HTTPDate.date(text, now: now)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 199 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Novem 1994 08:49:37 GMT",
        "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 6 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT and much that is behind it",
    ])
    func rejects(_ text: String) {
        #expect(HTTPDate.date(text, now: now) == nil)
    }
}
