internal import Foundation

/// The parsed `Set-Cookie` field, before its permissions are checked.
///
/// See RFC 6265bis §5.6, https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.6
struct SetCookieField {
    /// The `Path` attribute.
    enum Path: Equatable {
        case absent
        /// The attribute is present, but does not begin with a slash.
        case unspecific
        case path(String)
    }

    private(set) var name: String
    private(set) var value: String
    private(set) var expires: Date?
    /// `Max-Age`, which takes precedence over `Expires`.
    private(set) var maxAge: TimeInterval?
    /// `Domain` in lowercase, without its leading dot. It may be empty.
    private(set) var domain: String?
    private(set) var path = Path.absent
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: Cookie.SameSite?

    /// Parses a field by bytes. Commas and quotation marks have no special meaning.
    init(_ field: [UInt8], limits: CookieLimits) throws(CookieRefusal) {
        guard field.allSatisfy(Cookie.isNoControl) else { throw .controlCharacter }
        var parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        let (name, value) = Self.pair(parts.popFirst() ?? [])
        // A part without "=" is a value without a name.
        guard (name ?? []).count + value.count <= limits.nameAndValueBytes else { throw .tooLong }
        self.name = try Self.text(name ?? [])
        self.value = try Self.text(value)
        for part in parts {
            let (name, value) = Self.pair(part)
            guard value.count <= limits.attributeValueBytes else { continue }
            if let name {
                try read(attribute: name, value)
            } else {
                // Without "=", the part is an attribute name without a value.
                try read(attribute: value, [])
            }
        }
    }

    /// Returns both sides of the first "=", without surrounding white space.
    private static func pair(_ part: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>?, value: ArraySlice<UInt8>) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return (nil, trimmed(part)) }
        return (trimmed(part[..<equals]), trimmed(part[(equals + 1)...]))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(CookieRefusal) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        return text
    }

    private mutating func read(attribute name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(CookieRefusal) {
        switch Attribute.allCases.first(where: { Self.isSame(name, $0.rawValue) }) {
        case .expires:
            if let date = CookieDate.date(in: value) { expires = date }
        case .maxAge:
            if let age = Self.seconds(value) { maxAge = age }
        case .domain:
            let domain = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
            // A non-ASCII domain is kept and rejected later, because only the last `Domain` counts.
            self.domain = String(decoding: domain, as: UTF8.self).lowercasedASCII
        case .path:
            path = value.first == UInt8(ascii: "/") ? .path(try Self.text(value)) : .unspecific
        case .secure:
            isSecure = true
        case .httpOnly:
            isHTTPOnly = true
        case .sameSite:
            sameSite = Cookie.SameSite(String(decoding: value, as: UTF8.self))
        case nil:
            break
        }
    }

    private enum Attribute: String, CaseIterable {
        case expires
        case path
        case domain
        case secure
        case httpOnly = "httponly"
        case sameSite = "samesite"
        case maxAge = "max-age"
    }

    /// Returns whether the name equals the lowercase one, ignoring case.
    private static func isSame(_ name: ArraySlice<UInt8>, _ lowercase: String) -> Bool {
        name.elementsEqual(lowercase.utf8) { $0 == $1 || (0x41...0x5A).contains($0) && $0 | 0x20 == $1 }
    }

    /// Parses a whole number of seconds, which may be negative. Returns `nil` if it is invalid.
    private static func seconds(_ value: ArraySlice<UInt8>) -> TimeInterval? {
        let isNegative = value.first == UInt8(ascii: "-")
        let digits = isNegative ? value.dropFirst() : value
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // The attribute limit bounds the length, and a float does not overflow.
        let seconds = digits.reduce(0.0) { $0 * 10 + Double($1 - 0x30) }
        return isNegative ? -seconds : seconds
    }
}
