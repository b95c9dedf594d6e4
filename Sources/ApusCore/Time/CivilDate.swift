/// A day of the Gregorian calendar, which also applies to the time before its introduction.
///
/// Days are counted in eras of 400 years. Each year of an era begins in March, so that a leap day is its last day.
package struct CivilDate: Sendable, Hashable, CustomStringConvertible {
    /// The year. Year 0 is the one before year 1.
    package let year: Int
    /// The month, from 1 to 12.
    package let month: Int
    package let day: Int

    /// Returns `nil` if there is no such day, or if the year is not one of `years`.
    package init?(year: Int, month: Int, day: Int, years: ClosedRange<Int> = 1...9999) {
        guard years.contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
        else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Returns the month, from 1 to 12, whose name begins with these letters, in any letter case.
    package static func month(_ name: some Sequence<UInt8>) -> Int? {
        months.firstIndex(of: name.prefix(3).map { $0 | 0x20 }).map { $0 + 1 }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        .map { Array($0.utf8) }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Creates the day that many days after 1970-01-01.
    package init(daysSince1970 days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthOfYear = (5 * dayOfYear + 2) / 153
        month = monthOfYear < 10 ? monthOfYear + 3 : monthOfYear - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * monthOfYear + 2) / 5 + 1
    }

    /// The number of days since 1970-01-01.
    package var daysSince1970: Int {
        let fromMarch = month > 2 ? year : year - 1
        let era = (fromMarch >= 0 ? fromMarch : fromMarch - 399) / 400
        let yearOfEra = fromMarch - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date in ISO 8601: `2026-05-01`.
    package var description: String {
        "\(year < 0 ? "-" : "")\(abs(year).padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }

    /// Returns the time of a second of a day: `08:49:37`.
    package static func time(ofSecond second: Int) -> String {
        "\((second / 3600).padded(to: 2)):\((second / 60 % 60).padded(to: 2)):\((second % 60).padded(to: 2))"
    }
}
