/// A day of the Gregorian calendar.
package struct CivilDate: Sendable, Hashable {
    package let year: Int
    /// The month, from 1 to 12.
    package let month: Int
    package let day: Int

    /// Returns `nil` if there is no such day, or if the year is not from 1 to 9999.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
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

    /// The number of days since 1970-01-01. Years are counted from March, so that a leap day is the last day of its
    /// year.
    package var daysSince1970: Int {
        let fromMarch = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return fromMarch * 365 + fromMarch / 4 - fromMarch / 100 + fromMarch / 400 + dayOfYear - 719_468
    }
}
