internal import Foundation

/// The dates of cookies: whatever a server wrote, if a day, a month, a year and a time can be found in it.
///
/// See RFC 6265bis §5.1.1, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.1.1
enum CookieDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        .map { Array($0.utf8) }

    /// The date that a text means, in UTC whatever zone it names; `nil` where it means none.
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
            } else if month == nil, let found = self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year, time >= 0 else { return nil }
        if year < 70 { year += 2000 } else if year < 100 { year += 1900 }
        guard year >= 1601, (1...days(in: month, of: year)).contains(day) else { return nil }
        return Date(timeIntervalSince1970: Double(daysSince1970(year, month, day) * 86_400 + time))
    }

    /// The time of day in seconds, as `9:05:00` with anything but a digit behind it; below zero where there is no such
    /// time; `nil` where it does not look like one.
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

    /// The number that a token begins with, if it has so many digits.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        // Looked at no further than needed: a token may be long.
        let run = token.prefix(digits.upperBound + 1).prefix(while: isDigit)
        guard digits.contains(run.count) else { return nil }
        return run.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func month(_ token: ArraySlice<UInt8>) -> Int? {
        let name = token.prefix(3).map { $0 | 0x20 }
        return months.firstIndex(of: name).map { $0 + 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// The days from the first of January 1970, in the Gregorian calendar. Years are counted from March, so that the
    /// day that is not in all of them is their last.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let fromMarch = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return fromMarch * 365 + fromMarch / 4 - fromMarch / 100 + fromMarch / 400 + dayOfYear - 719_468
    }
}
