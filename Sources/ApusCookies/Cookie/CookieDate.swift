internal import ApusCore
internal import Foundation

/// Parses cookie dates in any format that contains a day, a month, a year and a time.
///
/// See RFC 6265bis §5.1.1, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.1.1
enum CookieDate {
    /// Returns the date, always in UTC, even if the text names another time zone. Returns `nil` if it is invalid.
    static func date(in text: ArraySlice<UInt8>) -> Date? {
        var time: Int?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.split(whereSeparator: isDelimiter) {
            if time == nil, let found = secondsOfDay(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = CivilDate.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year, time >= 0 else { return nil }
        if year < 70 { year += 2000 } else if year < 100 { year += 1900 }
        guard year >= 1601, let date = CivilDate(year: year, month: month, day: day) else { return nil }
        return Date(timeIntervalSince1970: Double(date.daysSince1970 * 86_400 + time))
    }

    /// Returns the time of day in seconds, for a token such as `9:05:00`, optionally followed by a non-digit. Returns a
    /// negative value if the time is out of range, or `nil` if the token is not a time.
    private static func secondsOfDay(_ token: ArraySlice<UInt8>) -> Int? {
        var rest = token
        var fields: [Int] = []
        while let field = number(rest, digits: 1...2) {
            fields.append(field)
            rest = rest.drop(while: isDigit)
            guard fields.count < 3 else { break }
            guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
        }
        guard fields.count == 3 else { return nil }
        guard fields[0] < 24, fields[1] < 60, fields[2] < 60 else { return -1 }
        return fields[0] * 3600 + fields[1] * 60 + fields[2]
    }

    /// Returns the number at the start of a token, if its count of digits is in the range.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        // Reads only as many bytes as needed, because a token may be long.
        let run = token.prefix(digits.upperBound + 1).prefix(while: isDigit)
        guard digits.contains(run.count) else { return nil }
        return run.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}
