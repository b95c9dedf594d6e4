internal import Foundation

/// Formats dates in the preferred form for fields (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func now(minusSeconds seconds: Int = 0) -> String {
        text(Int(Date().timeIntervalSince1970) - seconds)
    }

    /// Returns the date of a number of seconds since 1 January 1970.
    static func text(_ seconds: Int) -> String {
        let day = seconds / 86400
        let time = seconds % 86400
        let (year, month, date) = civil(day)
        let clock = [time / 3600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
        return "\(days[day % 7]), \(twoDigits(date)) \(months[month - 1]) \(year) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Returns the date of a day since 1970. Counts in eras of 400 years that begin in March.
    private static func civil(_ day: Int) -> (year: Int, month: Int, date: Int) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
