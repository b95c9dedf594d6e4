extension UInt8 {
    /// The value of this byte as a hexadecimal digit in ASCII. `nil` if it is no such digit.
    @inlinable
    package var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
