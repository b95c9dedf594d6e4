internal import ApusCore
internal import Foundation

/// Parses and formats the dates of XML property lists: `2026-02-28T23:59:59Z`.
enum PropertyListDate {
    private static let secondsADay = 86_400
    /// The seconds from 1 January 1970 to 1 January 2001.
    private static let reference = 978_307_200
    /// The years that have at most nine digits.
    private static let years = -999_999_999...999_999_999

    /// Parses a date. Returns `nil` if `text` is not a valid date.
    static func parse(_ text: String) -> Date? {
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        guard let year = number(&rest, digits: 4...9, before: "-"), let month = number(&rest, before: "-"),
            let day = number(&rest, before: "T"), let hour = number(&rest, before: ":"),
            let minute = number(&rest, before: ":"), let second = number(&rest, before: "Z"), rest.isEmpty,
            let date = CivilDate(year: isNegative ? -year : year, month: month, day: day, years: years),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = date.daysSince1970 * secondsADay + hour * 3600 + minute * 60 + second - reference
        return Date(timeIntervalSinceReferenceDate: Double(seconds))
    }

    /// Formats a date for XML, without fractions of seconds. Returns `nil` if its year has more than nine digits.
    static func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        guard abs(seconds) < 3e16 else { return nil }
        let total = Int(seconds) + reference
        let day = (total >= 0 ? total : total - secondsADay + 1) / secondsADay
        let date = CivilDate(daysSince1970: day)
        guard years.contains(date.year) else { return nil }
        return "\(date)T\(CivilDate.time(ofSecond: total - day * secondsADay))Z"
    }

    private static func number(
        _ rest: inout Substring.UTF8View,
        digits: ClosedRange<Int> = 2...2,
        before separator: Unicode.Scalar
    ) -> Int? {
        let found = rest.prefix { (0x30...0x39).contains($0) }
        guard digits.contains(found.count), rest.dropFirst(found.count).first == UInt8(ascii: separator) else {
            return nil
        }
        rest = rest.dropFirst(found.count + 1)
        return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
