internal import SwiftASN1
internal import X509

/// A directory name to compare with others, RFC 5280 §7.1.
///
/// An authority could evade an exclusion with other letters or another encoding, so texts are compared without their
/// case, their encoding and repeated spaces.
struct DirectoryName: Sendable {
    private enum Value: Sendable, Equatable {
        case text(String)
        /// A value that is no text.
        case other(RelativeDistinguishedName.Attribute.Value)
    }

    private struct Attribute: Sendable, Equatable {
        let type: ASN1ObjectIdentifier
        let value: Value

        init(_ attribute: RelativeDistinguishedName.Attribute) {
            type = attribute.type
            if let text = DistinguishedNameText.string(of: attribute.value) {
                value = .text(text.lowercased().split(separator: " ").joined(separator: " "))
            } else {
                value = .other(attribute.value)
            }
        }
    }

    private let parts: [[Attribute]]

    init(_ name: [RelativeDistinguishedName]) {
        parts = name.map { part in part.map { Attribute($0) } }
    }

    /// Whether it begins with the parts of `base`.
    func begins(with base: DirectoryName) -> Bool {
        parts.count >= base.parts.count && zip(parts, base.parts).allSatisfy { Self.isEqual($0, $1) }
    }

    private static func isEqual(_ one: [Attribute], _ other: [Attribute]) -> Bool {
        one.count == other.count && one.allSatisfy { other.contains($0) }
    }
}
