internal import ApusJSON
internal import Testing

@testable internal import ApusCore

@Suite struct CivilDateTests {
    @Test(arguments: [
        (0, "1970-01-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (11_017, "2000-03-01"),
        (19_782, "2024-02-29"), (2_932_896, "9999-12-31"), (-719_162, "0001-01-01"), (-719_163, "0000-12-31"),
        (-719_529, "-0001-12-31"),
    ])
    func countsDays(days: Int, text: String) {
        let date = CivilDate(daysSince1970: days)
        #expect(date.description == text)
        #expect(date.daysSince1970 == days)
    }

    @Test func isTheInverseOfItsCount() {
        for days in stride(from: -1_200_000, through: 3_000_000, by: 17) {
            let date = CivilDate(daysSince1970: days)
            #expect(date.daysSince1970 == days)
            #expect(CivilDate(year: date.year, month: date.month, day: date.day, years: -9999...99_999) == date)
        }
    }

    @Test(arguments: [
        (2023, 2, 29), (1900, 2, 29), (2024, 2, 30), (2024, 4, 31), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0),
        (0, 1, 1), (10_000, 1, 1), (-4, 2, 29),
    ])
    func rejectsOtherDays(year: Int, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test func acceptsMoreYearsIfAsked() {
        #expect(CivilDate(year: -4, month: 2, day: 29, years: -4...0)?.daysSince1970 == -720_930)
        #expect(CivilDate(year: -5, month: 2, day: 28, years: -4...0) == nil)
        #expect(CivilDate(year: -1, month: 2, day: 29, years: -4...0) == nil)
    }

    @Test(arguments: [(0, "00:00:00"), (31_777, "08:49:37"), (86_399, "23:59:59")])
    func writesTheTimeOfADay(second: Int, text: String) {
        #expect(CivilDate.time(ofSecond: second) == text)
    }

    @Test func padsNumbers() {
        #expect(7.padded(to: 3) == "007")
        #expect(1234.padded(to: 3) == "1234")
        #expect(UInt8(8).padded(to: 3, radix: 8) == "010")
    }
}
