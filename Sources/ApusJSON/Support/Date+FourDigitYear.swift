package import Foundation

extension Date {
    /// Returns the date itself if its year has four digits, as RFC 3339 requires.
    package func withFourDigitYear() throws(EncodingFault) -> Date {
        guard (-62_135_596_800..<253_402_300_800).contains(timeIntervalSince1970) else {
            throw EncodingFault("is a date outside the years 1 to 9999")
        }
        return self
    }
}
