internal import ApusCore
internal import Foundation

/// Reads and writes the dates of archives, in ISO 8601: `2026-05-01T12:30:00.250Z`.
enum HARTimestamp {
    /// Returns the date in milliseconds, or microseconds if it has any. A date that is not a number becomes 1970-01-01.
    static func text(_ date: Date) -> String {
        let bounds = -62_135_596_800.0...253_402_300_799.0
        let interval = date.timeIntervalSince1970
        let seconds = interval.isNaN ? 0 : min(max(interval, bounds.lowerBound), bounds.upperBound)
        let microseconds = Int64((seconds * 1e6).rounded())
        let dayLength: Int64 = 86_400_000_000
        let day = microseconds / dayLength - (microseconds % dayLength < 0 ? 1 : 0)
        let rest = microseconds - day * dayLength
        let fraction = rest % 1_000_000
        let digits = fraction % 1000 == 0 ? (fraction / 1000).padded(to: 3) : fraction.padded(to: 6)
        return "\(CivilDate(daysSince1970: Int(day)))T\(CivilDate.time(ofSecond: Int(rest / 1_000_000))).\(digits)Z"
    }

    /// Returns the date of a text, exact to the microsecond, or `nil` if it is not a date.
    static func date(_ text: String) -> Date? {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T", "t", " "), let hour = reader.number(2), reader.take(":"),
            let minute = reader.number(2), let date = CivilDate(year: year, month: month, day: day), hour <= 24,
            minute <= 59
        else { return nil }
        var second = 0
        var microseconds = 0
        if reader.take(":") {
            guard let number = reader.number(2), number <= 60 else { return nil }
            second = number
            if reader.take(".", ",") {
                guard let fraction = reader.microseconds() else { return nil }
                microseconds = fraction
            }
        }
        guard let offset = reader.offset(), reader.rest.isEmpty else { return nil }
        let time = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        // Divides milliseconds directly, so that equal milliseconds give equal dates.
        let total = Int64(time) * 1_000_000 + Int64(microseconds)
        return Date(timeIntervalSince1970: total % 1000 == 0 ? Double(total / 1000) / 1e3 : Double(total) / 1e6)
    }

    /// Returns the date, rounded to milliseconds.
    static func rounded(_ date: Date) -> Date {
        let milliseconds = (date.timeIntervalSince1970 * 1e3).rounded()
        return Date(timeIntervalSince1970: milliseconds / 1e3)
    }

    /// Reads a text byte by byte.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func take(_ scalars: Unicode.Scalar...) -> Bool {
            guard let byte = rest.first, scalars.contains(Unicode.Scalar(byte)) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ digits: Int) -> Int? {
            let bytes = rest.prefix(digits)
            guard bytes.count == digits, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest.removeFirst(digits)
            return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Reads all digits after the decimal point, and keeps six.
        mutating func microseconds() -> Int? {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest[digits.endIndex...]
            let six = Array(digits.prefix(6)) + [UInt8](repeating: 0x30, count: max(0, 6 - digits.count))
            return six.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Reads the seconds ahead of UTC, 0 if there is no offset.
        mutating func offset() -> Int? {
            if rest.isEmpty || take("Z", "z") { return 0 }
            let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
            guard take("+", "-"), let hours = number(2), hours <= 23 else { return nil }
            _ = take(":")
            guard !rest.isEmpty else { return sign * hours * 3600 }
            guard let minutes = number(2), minutes <= 59 else { return nil }
            return sign * (hours * 3600 + minutes * 60)
        }
    }
}
