/// The characters that a text may contain.
enum AllowedOctets {
    /// RFC 9110 §5.6.2, at least one byte.
    case token
    /// ASCII without space and control characters.
    case visible
    /// All bytes except control characters other than HTAB.
    case fieldValue

    /// Returns whether a text may consist of these bytes.
    @inline(__always)
    func allows(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .token: !bytes.isEmpty && bytes.allSatisfy(HTTPOctets.isToken)
        case .visible: bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        case .fieldValue: HTTPOctets.firstControl(in: bytes, from: 0) == bytes.count
        }
    }

    /// Returns whether a text is allowed.
    func allows(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { (bytes: UnsafeBufferPointer<UInt8>) -> Bool in
            allows(UnsafeRawBufferPointer(bytes))
        }
    }
}
