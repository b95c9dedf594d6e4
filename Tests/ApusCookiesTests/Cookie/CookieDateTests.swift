internal import Foundation
internal import Testing

@testable internal import ApusCookies

@Suite struct CookieDateTests {
    /// 9 November 1994, 08:49:37.
    private static let moment = 784_370_977.0

    @Test(arguments: [
        // The three forms of HTTP.
        "Wed, 09 Nov 1994 08:49:37 GMT", "Wednesday, 09-Nov-94 08:49:37 GMT", "Wed Nov  9 08:49:37 1994",
        // Other forms that servers send.
        "Wed, 09-Nov-1994 08:49:37 GMT", "Wed, 9 Nov 1994 8:49:37 GMT", "9 NOVEMBER 1994 08:49:37",
        "09-nov-94 08:49:37",
        "Wed,09-Nov-94 08:49:37 GMT", "1994 Nov 9 08:49:37", "08:49:37 9 Nov 1994", "Nov 08:49:37 9 94",
        "\"Wed, 09/Nov\\1994\"08:49:37", " , 9-Nov-1994 08:49:37 GMT", "Noday, 9 - Novemb-94 08:49:37",
        "\t9\tNov\t1994\t08:49:37\t",
        // Zones, trailing text and a second time are ignored.
        "Wed, 09 Nov 1994 08:49:37 GMT-0500 (EST)", "Wed, 09 Nov 1994 08:49:37 +0200",
        "Wed, 09 Nov 1994 08:49:37 11:22:33", "Wed, 09 Nov 1994 08:49:37 and then some",
        // Invalid times are skipped, and trailing characters of each part are ignored.
        "Wed, 09 Nov 1994 ::00 08:49:37", "Wed, 09 Nov 1994 a:b:c 08:49:37", "9th Nov 1994AD 08:49:37Z",
        "Wed, 09 Nov 1994 08:49:37.250 GMT",
    ])
    func readsDatesInAllForms(text: String) {
        #expect(CookieDate.date(in: Array(text.utf8)[...]) == Date(timeIntervalSince1970: Self.moment))
    }

    @Test(arguments: [
        "", "GMT", "no date at all", "09 Nov 1994", "09 Nov 08:49:37", "Nov 1994 08:49:37", "09 1994 08:49:37",
        // The first part that has the form of a day or a time counts, even if it is out of range.
        "09 Nov 1994 91:22:33 08:49:37", "98 Nov 09 08:49:37", "32 Nov 1994 08:49:37", "0 Nov 1994 08:49:37",
        "09 Nov 1994 24:00:00", "09 Nov 1994 08:60:00", "09 Nov 1994 08:49:60", "09 Nov 1994 08:49",
        "09 Nov 1994 08: 49:37",
        "09 Nov 1994 008:49:37", "09 Nov 1994 08:49:999999999999",
        // Days that do not exist.
        "29 Feb 2023 00:00:00", "29 Feb 1900 00:00:00", "30 Feb 2024 00:00:00", "31 Apr 2024 00:00:00",
        // Numbers with too many digits, and a year before 1601.
        "009 Nov 1994 08:49:37", "09 Nov 12345 08:49:37", "09 Nov 9999999999 08:49:37", "09 Nov 1600 08:49:37",
        "999999999999 Nov 1994 08:49:37", "09 Näv 1994 08:49:37",
    ])
    func rejectsInvalidDates(text: String) {
        #expect(CookieDate.date(in: Array(text.utf8)[...]) == nil)
    }

    @Test(arguments: [
        ("01 Jan 1970 00:00:00", 0), ("01 Jan 70 00:00:00", 0), ("31 Dec 69 23:59:59", 3_155_759_999),
        ("01 Jan 00 00:00:00", 946_684_800), ("31 Dec 99 23:59:59", 946_684_799),
        ("29 Feb 2024 12:00:00", 1_709_208_000),
        ("29 Feb 2000 00:00:00", 951_782_400), ("01 Mar 2100 00:00:00", 4_107_542_400),
        ("01 Jan 1601 00:00:00", -11_644_473_600), ("31 Dec 9999 23:59:59", 253_402_300_799),
        ("1 Jan 099 00:00:00", 915_148_800),
    ])
    func mapsTwoDigitYearsTo1970Through2069(text: String, seconds: Int) {
        #expect(CookieDate.date(in: Array(text.utf8)[...]) == Date(timeIntervalSince1970: Double(seconds)))
    }

    @Test func agreesWithTheCalendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for number in stride(from: 0, to: 150_000, by: 211) {
            let date = Date(timeIntervalSince1970: Double(number) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let (year, month, day) = (parts.year ?? 0, parts.month ?? 1, parts.day ?? 0)
            let text = "\(day) \(months[month - 1]) \(year) 00:00:00"
            #expect(CookieDate.date(in: Array(text.utf8)[...]) == date, "\(text)")
        }
    }

    @Test func handlesLongTextsQuickly() {
        let text =
            Array(repeating: UInt8(ascii: "1"), count: 1 << 20) + Array(repeating: UInt8(ascii: ":"), count: 1 << 20)
        #expect(CookieDate.date(in: text[...]) == nil)
    }
}
