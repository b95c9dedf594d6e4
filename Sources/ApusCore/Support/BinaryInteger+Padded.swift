extension BinaryInteger {
    /// Returns the digits of a number that is not negative, with zeros in front up to this width.
    package func padded(to width: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
