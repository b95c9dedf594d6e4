internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import ApusTrust

@Suite struct DistinguishedNameTextTests {
    private static let commonName: ASN1ObjectIdentifier = [2, 5, 4, 3]
    private static let organization: ASN1ObjectIdentifier = [2, 5, 4, 10]

    private func part(_ type: ASN1ObjectIdentifier, _ text: String) -> RelativeDistinguishedName {
        RelativeDistinguishedName(.init(type: type, utf8String: text))
    }

    @Test func beginsWithTheMostSpecificPart() {
        let name = [part([2, 5, 4, 6], "DE"), part(Self.organization, "Example"), part(Self.commonName, "a.example")]
        #expect(DistinguishedNameText.text(of: name) == "CN=a.example,O=Example,C=DE")
        #expect(DistinguishedNameText.shortText(of: name) == "a.example")
        #expect(DistinguishedNameText.shortText(of: Array(name.prefix(2))) == "Example")
        #expect(DistinguishedNameText.shortText(of: Array(name.prefix(1))) == nil)
        #expect(DistinguishedNameText.text(of: []) == "")
    }

    /// RFC 4514 §2.4.
    @Test(arguments: [
        ("a,b+c", "a\\,b\\+c"), ("\"a\"<b>;\\", "\\\"a\\\"\\<b\\>\\;\\\\"), (" a b ", "\\ a b\\ "), ("#a#", "\\#a#"),
        ("a\0b", "a\\00b"), ("a\u{1B}[2J", "a\\1B[2J"), ("a\nb", "a\\0Ab"), ("\u{202E}a", "\\E2\\80\\AEa"),
        ("a\u{2066}", "a\\E2\\81\\A6"), ("\u{200B}", "\\E2\\80\\8B"), ("ä日", "ä日"), (" ", "\\ "), ("", ""),
    ])
    func escapesTheText(text: String, written: String) {
        #expect(DistinguishedNameText.text(of: [part(Self.commonName, text)]) == "CN=\(written)")
    }

    @Test func writesOtherTypesAsTheirEncoding() {
        #expect(DistinguishedNameText.text(of: [part([1, 2, 3], "ab")]) == "1.2.3=#0C026162")
    }

    /// Older certificates have texts in other encodings.
    @Test func readsOtherEncodings() throws {
        let texts: [(tag: ASN1Identifier, bytes: [UInt8], text: String)] = [
            (.bmpString, [0, 0x61, 0x30, 0x42], "aあ"), (.teletexString, [0x61, 0xE4], "aä"),
            (.bmpString, [0, 0x61, 0], "#1E03006100"), (.universalString, [0, 0, 0, 0x61], "#1C0400000061"),
        ]
        for (tag, bytes, text) in texts {
            var serializer = DER.Serializer()
            serializer.appendPrimitiveNode(identifier: tag) { $0 += bytes }
            let value = ASN1Any(derEncoded: try DER.parse(serializer.serializedBytes))
            let name = [RelativeDistinguishedName(.init(type: Self.commonName, value: value))]
            #expect(DistinguishedNameText.text(of: name) == "CN=\(text)")
        }
    }

    @Test func joinsThePartsOfOneLevel() {
        let attributes: [RelativeDistinguishedName.Attribute] = [
            .init(type: Self.organization, utf8String: "O"), .init(type: Self.commonName, utf8String: "C"),
        ]
        let level = RelativeDistinguishedName(attributes)
        #expect(["CN=C+O=O", "O=O+CN=C"].contains(DistinguishedNameText.text(of: [level])))
    }

    @Test func limitsTheLength() {
        let name = (0..<1000).map { part(Self.commonName, "\($0)") }
        let text = DistinguishedNameText.text(of: name)
        #expect(text.unicodeScalars.count == DistinguishedNameText.limit + 1)
        #expect(text.hasPrefix("CN=999,CN=998,"))
        #expect(text.hasSuffix("…"))
    }
}
