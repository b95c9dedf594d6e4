internal import ApusCore
internal import Foundation
internal import Testing

@testable internal import ApusDiagnostics

@Suite struct HARTimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2009-07-24T19:20:30.45+01:00", 1_248_459_630.45),
            ("2026-11-21T21:42:17.123Z", 1_795_297_337.123), ("2026-11-21T21:42:17.123456Z", 1_795_297_337.123456),
            ("2026-11-21T16:42:17.123-0500", 1_795_297_337.123), ("2026-11-21 21:42:17,5", 1_795_297_337.5),
            ("2026-11-21T22:42+01", 1_795_297_320), ("2024-02-29T12:00:00.000Z", 1_709_208_000),
            ("2000-03-01T00:00:00Z", 951_868_800), ("1969-12-31T23:59:59.500Z", -0.5),
            ("2026-11-21T21:42:17.12345678901234567890Z", 1_795_297_337.123456),
        ] as [(String, Double)]
    )
    func readsTheFormatsOfPrograms(text: String, seconds: Double) throws {
        let date = try #require(HARTimestamp.date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
    }

    @Test(arguments: [
        "", "2026", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-21", "2026-11-21T25:00:00Z",
        "2026-11-21T21:42:17.Z", "2026-11-21T21:42:17Zx", "2026-11-21T21:42:17+", "2026-11-21T21:42:17+99:00",
        "2026-11-21T21:60:00Z", "2026-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "２０２６-11-21T21:42:17Z", "yesterday",
        "2026-11-21T21:42:17\u{0}",
    ])
    func rejectsInvalidDates(text: String) {
        #expect(HARTimestamp.date(text) == nil)
    }

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00.000Z"), (1_795_297_337.123, "2026-11-21T21:42:17.123Z"),
        (1_795_297_337.123456, "2026-11-21T21:42:17.123456Z"), (-0.5, "1969-12-31T23:59:59.500Z"),
        (1_709_208_000, "2024-02-29T12:00:00.000Z"), (1e300, "9999-12-31T23:59:59.000Z"),
        (-1e300, "0001-01-01T00:00:00.000Z"), (.infinity, "9999-12-31T23:59:59.000Z"),
        (-.infinity, "0001-01-01T00:00:00.000Z"), (.nan, "1970-01-01T00:00:00.000Z"),
    ])
    func writesMilliseconds(seconds: Double, text: String) {
        #expect(HARTimestamp.text(Date(timeIntervalSince1970: seconds)) == text)
    }

    /// A `Date` is exact to the microsecond within a century of its reference date.
    @Test func readsItsOwnOutput() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let milliseconds = Int64.random(in: -2_000_000_000_000...4_000_000_000_000, using: &generator)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1e3)
            #expect(HARTimestamp.date(HARTimestamp.text(date)) == date, "\(milliseconds)")
            #expect(HARTimestamp.rounded(date) == date)
        }
    }
}
