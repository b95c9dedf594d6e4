internal import SwiftASN1
internal import X509

/// Compares the parts of directory names, RFC 5280 §7.1.
///
/// An authority could evade an exclusion with other letters or another encoding, so texts are compared without their
/// case, their encoding and repeated spaces.
enum DirectoryNames {
    /// Whether a name begins with the parts of `base`.
    static func begins(_ name: [RelativeDistinguishedName], with base: [RelativeDistinguishedName]) -> Bool {
        name.count >= base.count && zip(name, base).allSatisfy { isEqual($0, $1) }
    }

    private static func isEqual(_ one: RelativeDistinguishedName, _ other: RelativeDistinguishedName) -> Bool {
        one.count == other.count && one.allSatisfy { attribute in other.contains { isEqual(attribute, $0) } }
    }

    private static func isEqual(
        _ one: RelativeDistinguishedName.Attribute,
        _ other: RelativeDistinguishedName.Attribute
    ) -> Bool {
        guard one.type == other.type else { return false }
        guard let text = DistinguishedNameText.string(of: one.value),
            let otherText = DistinguishedNameText.string(of: other.value)
        else {
            return one.value == other.value
        }
        return folded(text) == folded(otherText)
    }

    private static func folded(_ text: String) -> String {
        text.lowercased().split(separator: " ").joined(separator: " ")
    }
}
