/// A name that begins with a colon (RFC 9113 §8.3, RFC 8441 §4).
package enum HTTP2PseudoField: String, CaseIterable, Sendable {
    case status = ":status"
    case method = ":method"
    case scheme = ":scheme"
    case authority = ":authority"
    case path = ":path"
    case `protocol` = ":protocol"
    /// A name that no specification defines, or a name in upper case.
    case unknown = ":"

    /// Finds the pseudo field with a name. The bytes begin with a colon.
    init(_ octets: UnsafeRawBufferPointer) {
        var found = HTTP2PseudoField.unknown
        for field in Self.allCases where octets.elementsEqual(field.rawValue.utf8) { found = field }
        self = found
    }
}
