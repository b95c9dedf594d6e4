internal import ApusJSON
internal import Testing

@Suite struct HexadecimalTests {
    @Test func readsDigits() {
        for byte in UInt8.min...UInt8.max {
            let value = Character(Unicode.Scalar(byte)).hexDigitValue
            #expect(byte.hexadecimalValue.map(Int.init) == value)
        }
    }
}
