internal import SwiftASN1
internal import X509

/// Writes the name of a certificate's owner or authority as text, RFC 4514: `CN=example.org,O=Example`.
enum DistinguishedNameText {
    /// The maximum number of Unicode scalars of a name. The rest is left out, and replaced by `…`.
    static let limit = 400

    private static let commonName: ASN1ObjectIdentifier = [2, 5, 4, 3]
    private static let organization: ASN1ObjectIdentifier = [2, 5, 4, 10]

    private static let keywords: [ASN1ObjectIdentifier: String] = [
        commonName: "CN",
        [2, 5, 4, 4]: "SN",
        [2, 5, 4, 5]: "serialNumber",
        [2, 5, 4, 6]: "C",
        [2, 5, 4, 7]: "L",
        [2, 5, 4, 8]: "ST",
        [2, 5, 4, 9]: "STREET",
        organization: "O",
        [2, 5, 4, 11]: "OU",
        [2, 5, 4, 12]: "title",
        [2, 5, 4, 42]: "GN",
        [0, 9, 2342, 19_200_300, 100, 1, 1]: "UID",
        [0, 9, 2342, 19_200_300, 100, 1, 25]: "DC",
        [1, 2, 840, 113549, 1, 9, 1]: "emailAddress",
    ]

    /// Returns the name, with its most specific part first. It has no control characters.
    static func text(of name: [RelativeDistinguishedName]) -> String {
        var parts: [String] = []
        var length = 0
        for part in name.reversed() where length <= limit {
            let text = part.map { written($0) }.joined(separator: "+")
            length += text.unicodeScalars.count + 1
            parts.append(text)
        }
        return cut(parts.joined(separator: ","), to: limit)
    }

    /// Returns the common name, or else the organization. It is not escaped.
    static func shortText(of name: [RelativeDistinguishedName]) -> String? {
        let attributes = Array(name.joined())
        let found = attributes.last { $0.type == commonName } ?? attributes.last { $0.type == organization }
        return found.flatMap { string(of: $0.value) }
    }

    /// Returns the text of an attribute. `nil` if its value is no text.
    static func string(of value: RelativeDistinguishedName.Attribute.Value) -> String? {
        if let text = String(value) { return text }
        guard let node = try? DER.parse(bytes(of: value)), case .primitive(let content) = node.content else {
            return nil
        }
        switch node.identifier {
        // In practice certificates have Latin-1 in these.
        case .teletexString, .visibleString, .numericString, .generalString:
            return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
        case .bmpString:
            guard content.count.isMultiple(of: 2) else { return nil }
            let bytes = Array(content)
            let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            return String(decoding: units, as: UTF16.self)
        default: return nil
        }
    }

    /// Returns the text with its control characters escaped, and its end left out if it is long.
    static func printable(_ text: String, limit: Int = DistinguishedNameText.limit) -> String {
        // Almost all names are short and have no other characters.
        if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        return cut(
            text.unicodeScalars.prefix(limit + 1).map { isEscaped($0) ? hexPairs(of: $0) : String($0) }.joined(),
            to: limit
        )
    }

    // MARK: Attributes

    private static func written(_ attribute: RelativeDistinguishedName.Attribute) -> String {
        // RFC 4514 §2.4: the value of a type without a keyword is written as its encoding.
        guard let keyword = keywords[attribute.type], let text = string(of: attribute.value) else {
            let encoded = bytes(of: attribute.value).prefix(limit).map { hex($0) }.joined()
            return "\(keywords[attribute.type] ?? "\(attribute.type)")=#\(encoded)"
        }
        return "\(keyword)=\(escaped(text))"
    }

    private static func bytes(of value: RelativeDistinguishedName.Attribute.Value) -> [UInt8] {
        var serializer = DER.Serializer()
        // An encoded value is only copied, which can't fail.
        try? serializer.serialize(ASN1Any(value))
        return serializer.serializedBytes
    }

    private static func escaped(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars.prefix(limit + 1))
        var result = ""
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "\"", "+", ",", ";", "<", ">", "\\": result += "\\\(scalar)"
            case "#" where index == 0: result += "\\#"
            case " " where index == 0 || index == scalars.count - 1: result += "\\ "
            case _ where isEscaped(scalar): result += hexPairs(of: scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a scalar can change how the text around it is shown. Those that change its direction are among them.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func hexPairs(of scalar: Unicode.Scalar) -> String {
        String(scalar).utf8.map { "\\\(hex($0))" }.joined()
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "0\(digits)" : digits
    }

    private static func cut(_ text: String, to limit: Int) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else {
            return text
        }
        return "\(String(scalars[..<end]))…"
    }
}
