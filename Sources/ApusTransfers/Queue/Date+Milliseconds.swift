internal import Foundation

extension Date {
    /// The milliseconds since 1970, within the range of the number.
    var milliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    /// Creates a date from milliseconds since 1970.
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
