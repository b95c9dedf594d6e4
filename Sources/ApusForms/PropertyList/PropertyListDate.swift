internal import Foundation

/// Parses and formats the dates of XML property lists: `2026-02-28T23:59:59Z`.
enum PropertyListDate {
    private static let secondsADay = 86_400
    /// The seconds from 1 January 1970 to 1 January 2001.
    private static let reference = 978_307_200

    /// Parses a date. Returns `nil` if `text` is not a valid date.
    static func parse(_ text: String) -> Date? {
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        guard let year = number(&rest, digits: 4...9, before: "-"), let month = number(&rest, before: "-"),
            let day = number(&rest, before: "T"), let hour = number(&rest, before: ":"),
            let minute = number(&rest, before: ":"), let second = number(&rest, before: "Z"), rest.isEmpty,
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let signedYear = isNegative ? -year : year
        let days = days(year: signedYear, month: month, day: day)
        guard civil(days) == (signedYear, month, day) else { return nil }
        let seconds = days * secondsADay + hour * 3600 + minute * 60 + second - reference
        return Date(timeIntervalSinceReferenceDate: Double(seconds))
    }

    /// Formats a date for XML, without fractions of seconds. Returns `nil` if its year has more than nine digits.
    static func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        guard abs(seconds) < 3e16 else { return nil }
        let total = Int(seconds) + reference
        let day = (total >= 0 ? total : total - secondsADay + 1) / secondsADay
        let second = total - day * secondsADay
        let (year, month, ofMonth) = civil(day)
        guard abs(year) <= 999_999_999 else { return nil }
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(year < 0 ? "-" : "")\(padded(abs(year), 4))-\(padded(month))-\(padded(ofMonth))"
            + "T\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))Z"
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

    /// Returns the days since 1 January 1970 in the Gregorian calendar, which also applies to earlier dates. Years
    /// begin in March here, so that a leap day is the last day of its year.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let ofEra = year - era * 400
        let ofYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }

    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * ofYear + 2) / 153
        let dayOfMonth = ofYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, dayOfMonth)
    }
}
