package import HTTPTypes

/// A decoded line of a header list.
///
/// The tables hold lines of this type, so that a line that is an index costs neither a String nor a validation.
package struct HPACKHeader: Sendable {
    /// The name of a line.
    enum Name: Sendable {
        case pseudo(HTTP2PseudoField)
        /// The valid name of a field, in lower case.
        case field(HTTPField.Name, HTTPFieldRole)
        /// A name that makes its message malformed: it is empty, has an uppercase letter, or is not a token.
        case invalid
    }

    /// The size of an entry beyond the bytes of its name and value (RFC 7541 §4.1).
    static var overheadBytes: Int { 32 }

    let name: Name

    /// The value as text. Bytes that are not UTF-8 are replaced. Control characters and blanks are as received.
    package let value: String

    /// The field, if the name is a valid field name.
    ///
    /// Its value keeps bytes outside ASCII, whether UTF-8 or not. If `isValueValid` is `false`, control characters are
    /// replaced by spaces, and blanks at its ends are removed.
    package let field: HTTPField?

    /// The size of the line as an entry of a table and in the sum of a header list: name, value and 32 bytes.
    package let byteCount: Int

    /// Whether the value has no control character other than HTAB and no blank at its ends (RFC 9113 §8.2.1).
    package let isValueValid: Bool

    /// The number of bytes of the name, which an invalid name has too.
    let nameByteCount: Int

    /// Creates a line from a name that was examined before.
    init(name: Name, nameByteCount: Int, value octets: UnsafeRawBufferPointer) {
        let text = String(decoding: octets, as: UTF8.self)
        var field: HTTPField?
        if case .field(let fieldName, _) = name {
            // Creating a field from a String is fastest, but replaces bytes that are not valid UTF-8.
            field =
                HTTPOctets.isASCII(octets)
                ? HTTPField(name: fieldName, value: text) : HTTPField(name: fieldName, value: octets)
        }
        self.name = name
        self.value = text
        self.field = field
        self.byteCount = nameByteCount + octets.count + Self.overheadBytes
        self.isValueValid = Self.isValid(octets)
        self.nameByteCount = nameByteCount
    }

    /// Creates a line as if it had been decoded.
    package init(name: String, value: String) {
        var name = name
        var value = value
        self = name.withUTF8 { (name: UnsafeBufferPointer<UInt8>) -> HPACKHeader in
            value.withUTF8 { (value: UnsafeBufferPointer<UInt8>) -> HPACKHeader in
                HPACKHeader(
                    name: Name(UnsafeRawBufferPointer(name)),
                    nameByteCount: name.count,
                    value: UnsafeRawBufferPointer(value)
                )
            }
        }
    }

    private static func isValid(_ value: UnsafeRawBufferPointer) -> Bool {
        guard value.count > 0 else { return true }
        guard !HTTPOctets.isBlank(value[0]), !HTTPOctets.isBlank(value[value.count - 1]) else { return false }
        return HTTPOctets.firstControl(in: value, from: 0) == value.count
    }
}

extension HPACKHeader.Name {
    /// Examines a received name.
    init(_ octets: UnsafeRawBufferPointer) {
        guard octets.count > 0 else {
            self = .invalid
            return
        }
        if octets[0] == HTTPOctets.colon {
            self = .pseudo(HTTP2PseudoField(octets))
            return
        }
        guard octets.allSatisfy(Self.isAllowed) else {
            self = .invalid
            return
        }
        if let entry = HTTPFieldNames.known.entry(octets, 0..<octets.count) {
            self = .field(entry.name, entry.role)
        } else if let name = HTTPField.Name(String(decoding: octets, as: UTF8.self)) {
            // All names with a role are in the table in lower case.
            self = .field(name, .plain)
        } else {
            self = .invalid
        }
    }

    /// Returns whether a byte may be part of a field name, which HTTP/2 has in lower case.
    private static func isAllowed(_ octet: UInt8) -> Bool {
        HTTPOctets.isToken(octet) && !(octet >= 0x41 && octet <= 0x5A)
    }
}
