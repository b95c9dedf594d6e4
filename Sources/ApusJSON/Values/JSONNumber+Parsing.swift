extension JSONNumber {
    /// Decimals with this many digits survive conversion to `Double` and back.
    private static let exactMantissa: UInt64 = 999_999_999_999_999

    /// Creates a number from text that the reader has validated.
    init(wellFormed bytes: UnsafeRawBufferPointer) {
        let parts = DecimalParts(bytes)
        guard let mantissa = parts.mantissa else {
            self.init(long: bytes)
            return
        }
        if parts.isInteger, mantissa != 0 || !parts.isNegative {
            if !parts.isNegative {
                self.init(mantissa <= UInt64(Int64.max) ? .integer(Int64(mantissa)) : .unsigned(mantissa))
                return
            }
            if mantissa <= Int64.min.magnitude {
                self.init(.integer(Int64(truncatingIfNeeded: 0 &- mantissa)))
                return
            }
        }
        guard mantissa <= Self.exactMantissa, let double = parts.exactDouble else {
            self.init(long: bytes)
            return
        }
        self.init(.double(double))
    }

    /// Creates a number that may be too long, too large or too small for a `Double`.
    private init(long bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let double = Double(text), double.isFinite {
            var shortest = double.description
            if shortest.withUTF8({ DecimalDigits(UnsafeRawBufferPointer($0)) }) == DecimalDigits(bytes) {
                self.init(.double(double))
                return
            }
        }
        self.init(.text(text))
    }
}

extension FixedWidthInteger {
    /// Creates an integer from text that the reader has validated. `nil` if it is not an integer, or out of range.
    init?(wellFormed bytes: UnsafeRawBufferPointer) {
        let parts = DecimalParts(bytes)
        if parts.isInteger, let mantissa = parts.mantissa {
            self.init(exactly: parts.isNegative ? -Int128(mantissa) : Int128(mantissa))
        } else {
            self.init(DecimalDigits(bytes))
        }
    }
}

extension Double {
    /// Creates the nearest `Double` from text that the reader has validated. Infinite if the number is out of range.
    init?(wellFormed bytes: UnsafeRawBufferPointer) {
        if let double = DecimalParts(bytes).exactDouble {
            self = double
        } else {
            self.init(String(decoding: bytes, as: UTF8.self))
        }
    }
}

/// The parts of a decimal number: its mantissa times ten to the power of its exponent.
private struct DecimalParts {
    var isNegative = false
    /// `nil` if it exceeds 64 bits.
    var mantissa: UInt64? = 0
    var exponent = 0
    /// Whether the text has neither a decimal point nor an exponent.
    var isInteger = true

    /// The powers of ten that a `Double` represents exactly.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The nearest `Double`, if a single division or multiplication of exact values gives it.
    var exactDouble: Double? {
        guard let mantissa, mantissa <= 1 << 53 else { return nil }
        let power = abs(exponent)
        var double = Double(mantissa)
        if mantissa != 0 {
            guard power < Self.powersOfTen.count else { return nil }
            double = exponent < 0 ? double / Self.powersOfTen[power] : double * Self.powersOfTen[power]
        }
        return isNegative ? -double : double
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        var value: UInt64 = 0
        var overflows = false
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isInteger = false
            case 0x30...0x39:
                let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
                let (sum, stillTooLarge) = product.addingReportingOverflow(UInt64(byte &- 0x30))
                value = sum
                overflows = overflows || tooLarge || stillTooLarge
                if !isInteger { exponent -= 1 }
            default:
                isInteger = false
                exponent += DecimalDigits.exponent(bytes[(index + 1)...])
                mantissa = overflows ? nil : value
                return
            }
        }
        mantissa = overflows ? nil : value
    }
}

extension FixedWidthInteger {
    /// Creates an integer from a decimal number. `nil` if it is not an integer, or out of range.
    init?(_ decimal: DecimalDigits) {
        guard let (digits, zeros, isNegative) = decimal.integer, zeros <= 39 else { return nil }
        var value: Self = 0
        for digit in digits + [UInt8](repeating: 0, count: zeros) {
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let digit = Self(digit)
            let (sum, stillTooLarge) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !tooLarge, !stillTooLarge else { return nil }
            value = sum
        }
        self = value
    }
}
