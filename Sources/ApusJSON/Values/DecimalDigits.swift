/// A decimal number of any length in canonical form, without leading or trailing zeros.
struct DecimalDigits: Hashable {
    private var isNegative = false
    private var digits: [UInt8] = []
    /// The exponent of the last digit.
    private var exponent = 0

    /// - Parameter bytes: A number that the reader has validated.
    init(_ bytes: UnsafeRawBufferPointer) {
        var isFraction = false
        digits.reserveCapacity(bytes.count)
        loop: for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case 0x30...0x39:
                if byte != 0x30 || !digits.isEmpty { digits.append(byte &- 0x30) }
                if isFraction { exponent -= 1 }
            default:
                exponent += Self.exponent(bytes[(index + 1)...])
                break loop
            }
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty {
            isNegative = false
            exponent = 0
        }
    }

    /// Returns the exponent after the `e`. The value stops growing at about 2^53.
    static func exponent(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        var value = 0
        for byte in bytes where byte &- 0x30 < 10 && value < 1 << 53 { value = value * 10 + Int(byte &- 0x30) }
        return bytes.first == UInt8(ascii: "-") ? -value : value
    }

    var integer: (magnitude: [UInt8], zeros: Int, isNegative: Bool)? {
        exponent < 0 ? nil : (digits, exponent, isNegative)
    }
}
