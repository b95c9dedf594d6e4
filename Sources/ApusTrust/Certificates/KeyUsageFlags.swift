/// The uses of a key, RFC 5280 §4.2.1.3.
///
/// X509's `KeyUsage` refuses a bit string with trailing zeros, which some authorities encode.
package struct KeyUsageFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package static let digitalSignature = KeyUsageFlags(rawValue: 0x8000)
    package static let keyEncipherment = KeyUsageFlags(rawValue: 0x2000)
    package static let keyAgreement = KeyUsageFlags(rawValue: 0x0800)
    package static let certificateSigning = KeyUsageFlags(rawValue: 0x0400)

    /// The uses of which a server needs one.
    package static let server: KeyUsageFlags = [.digitalSignature, .keyEncipherment, .keyAgreement]

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Creates the uses from the bytes of the bit string. Bits after the sixteenth have no meaning.
    init(_ bytes: ArraySlice<UInt8>) {
        let padded = Array(bytes.prefix(2)) + [0, 0]
        rawValue = UInt16(padded[0]) << 8 | UInt16(padded[1])
    }
}
