internal import ApusCore
internal import Foundation

/// Formats dates in the preferred form for fields (RFC 9110 §5.6.7).
enum IMFFixdate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func now(minusSeconds seconds: Int = 0) -> String {
        text(Int(Date().timeIntervalSince1970) - seconds)
    }

    /// Returns the date of a number of seconds since 1 January 1970.
    static func text(_ seconds: Int) -> String {
        let day = seconds / 86400
        let date = CivilDate(daysSince1970: day)
        let time = CivilDate.time(ofSecond: seconds % 86400)
        return "\(days[day % 7]), \(date.day.padded(to: 2)) \(months[date.month - 1]) \(date.year) \(time) GMT"
    }
}
