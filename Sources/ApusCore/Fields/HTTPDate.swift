package import Foundation

/// Parses the dates of fields, in the three formats that a recipient must accept.
///
/// ```
///   Sun, 06 Nov 1994 08:49:37 GMT      what is sent today
///   Sunday, 06-Nov-94 08:49:37 GMT     of RFC 850
///   Sun Nov  6 08:49:37 1994           of C's asctime()
/// ```
///
/// See RFC 9110 §5.6.7, https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.7
package enum HTTPDate {
    /// Returns the date of a field value, or `nil` if the value is not a date.
    ///
    /// A two-digit year is at most 50 years after `now`.
    package static func date(_ text: String, now: Date) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let tokens = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
        switch tokens.count {
        case 6 where tokens[5].elementsEqual("GMT".utf8):
            return date(day: tokens[1], month: tokens[2], year: tokens[3], time: tokens[4], now)
        case 5:
            return date(day: tokens[2], month: tokens[1], year: tokens[4], time: tokens[3], now)
        default:
            return nil
        }
    }

    private typealias Token = Substring.UTF8View

    private static func date(day: Token, month: Token, year: Token, time: Token, _ now: Date) -> Date? {
        guard let day = number(day, 1...2), month.count == 3, let month = CivilDate.month(month),
            let written = number(year, 2...4), year.count != 3, let seconds = secondsOfDay(time)
        else { return nil }
        let years = year.count == 2 ? [2000 + written, 1900 + written] : [written]
        let latest = now.addingTimeInterval(50 * 365.25 * 86_400)
        let dates = years.compactMap { CivilDate(year: $0, month: month, day: day) }
            .map { Date(timeIntervalSince1970: Double($0.daysSince1970 * 86_400 + seconds)) }
        return dates.first { $0 <= latest } ?? dates.last
    }

    /// Accepts 60 seconds, for a leap second.
    private static func secondsOfDay(_ time: Token) -> Int? {
        let fields = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard fields.count == 3, let hour = number(fields[0], 2...2), let minute = number(fields[1], 2...2),
            let second = number(fields[2], 2...2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func number(_ token: Token, _ digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(token.count) else { return nil }
        var value = 0
        for byte in token {
            guard byte &- 0x30 < 10 else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}
