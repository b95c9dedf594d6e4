internal import Foundation
package import HTTPTypes

/// The digests that a server has declared for a whole representation, in the field `Repr-Digest`.
///
/// ```
///   Repr-Digest: sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:, unixsum=:MAo=:
/// ```
///
/// They are those of the bytes with their content coding, so they are of no use for a body that was decoded. In a
/// partial response they are those of the whole. Other algorithms than SHA-256 and SHA-512 are ignored. A malformed
/// field is ignored as a whole.
///
/// See RFC 9530 §3, https://www.rfc-editor.org/rfc/rfc9530.html#section-3
package struct ReprDigest: Hashable, Sendable {
    /// The maximum length of the field, in bytes. A longer one is ignored.
    package static let limitBytes = 4 << 10

    /// The digests by the algorithms that are supported, at most one for each. Not empty.
    package let digests: [ContentDigest]

    /// Reads the field of a response. `nil` if it has no valid one with a supported algorithm.
    ///
    /// - Parameter fields: The fields of the response.
    package init?(in fields: HTTPFields) {
        guard let text = fields[.reprDigest] else { return nil }
        self.init(text)
    }

    init?(_ text: String) {
        guard text.utf8.count <= Self.limitBytes else { return nil }
        var scanner = ByteSequenceScanner(text)
        guard let members = scanner.dictionary() else { return nil }
        var digests: [ContentDigest] = []
        for algorithm in ContentDigest.Algorithm.allCases {
            guard let bytes = members[algorithm.rawValue] else { continue }
            guard let digest = ContentDigest(algorithm, bytes: bytes) else { return nil }
            digests.append(digest)
        }
        guard !digests.isEmpty else { return nil }
        self.digests = digests
    }

    /// The digest to check: SHA-256 if there is one, which processors compute faster.
    package var preferred: ContentDigest? { digests.first }

    /// Returns the digest by an algorithm. `nil` if the field has none.
    package func digest(by algorithm: ContentDigest.Algorithm) -> ContentDigest? {
        digests.first { $0.algorithm == algorithm }
    }
}

extension HTTPField.Name {
    package static let reprDigest = HTTPField.Name("Repr-Digest") ?? .eTag
}

/// Reads a structured field that is a dictionary of byte sequences: RFC 9651 §3.2 and §3.3.5.
///
/// Parameters are read and ignored, since RFC 9530 defines none. They are not checked as strictly.
private struct ByteSequenceScanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        self.rest = Array(text.utf8)[...]
    }

    /// Returns the members of the dictionary, the last one of each key. `nil` if the text is malformed.
    mutating func dictionary() -> [String: [UInt8]]? {
        var members: [String: [UInt8]] = [:]
        skip(Self.isSpace)
        while !rest.isEmpty {
            guard let key = nextKey(), take("="), let bytes = nextBytes(), skipParameters() else { return nil }
            members[key] = bytes
            skip(Self.isSpace)
            guard !rest.isEmpty else { break }
            guard take(",") else { return nil }
            skip(Self.isSpace)
            // A comma at the end is not allowed.
            guard !rest.isEmpty else { return nil }
        }
        return members
    }

    private mutating func nextKey() -> String? {
        guard let first = rest.first, Self.isLetter(first) || first == UInt8(ascii: "*") else { return nil }
        let key = rest.prefix(while: Self.isKeyByte)
        rest = rest[key.endIndex...]
        return String(decoding: key, as: UTF8.self)
    }

    private mutating func nextBytes() -> [UInt8]? {
        let colon = UInt8(ascii: ":")
        guard take(":"), let end = rest.firstIndex(of: colon) else { return nil }
        let digits = String(decoding: rest[..<end], as: UTF8.self)
        rest = rest[(end + 1)...]
        // Padding may be missing, RFC 9651 §4.2.7. Foundation accepts too much of it.
        let length = digits.utf8.count - digits.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let padding = String(repeating: "=", count: (4 - length % 4) % 4)
        guard length == digits.utf8.count || digits.utf8.count == length + padding.utf8.count else { return nil }
        return Data(base64Encoded: String(digits.prefix(length)) + padding).map { Array($0) }
    }

    /// Returns whether the parameters are valid.
    private mutating func skipParameters() -> Bool {
        while take(";") {
            skip { $0 == UInt8(ascii: " ") }
            guard nextKey() != nil else { return false }
            if take("="), !skipItem() { return false }
        }
        return true
    }

    private mutating func skipItem() -> Bool {
        if rest.first == UInt8(ascii: "\"") { return skipString() }
        if rest.first == UInt8(ascii: ":") { return nextBytes() != nil }
        let byteCount = rest.count
        skip(Self.isItemByte)
        return rest.count < byteCount
    }

    private mutating func skipString() -> Bool {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == quote { return true }
            guard (0x20...0x7E).contains(byte) else { return false }
            if byte == backslash {
                guard let escaped = rest.popFirst(), escaped == quote || escaped == backslash else { return false }
            }
        }
        return false
    }

    /// Removes a character if it is the next one, and returns whether it was.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        rest = rest.drop(while: isSkipped)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || "_-.*".utf8.contains(byte)
    }

    /// Numbers, tokens and booleans consist of these.
    private static func isItemByte(_ byte: UInt8) -> Bool {
        isKeyByte(byte) || (0x41...0x5A).contains(byte) || "!#$%&'+^`|~:/?@".utf8.contains(byte)
    }
}
