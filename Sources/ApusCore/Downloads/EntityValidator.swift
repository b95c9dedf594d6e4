internal import Foundation
package import HTTPTypes

/// A strong validator of a representation: two responses with the same one have the same bytes.
///
/// See RFC 9110 §8.8, https://www.rfc-editor.org/rfc/rfc9110.html#section-8.8
package enum EntityValidator: Hashable, Sendable {
    /// A strong entity tag, with its quotes.
    case entityTag(String)
    /// The date of the last modification, as received. It is strong: the response was sent at least a second later, so
    /// that no other version has the same date.
    case lastModified(String)

    /// Creates the validator of a response. `nil` if it has no strong one.
    ///
    /// A strong entity tag counts first. The date of a response with a weak entity tag is not used, since it may not be
    /// sent in place of the tag (RFC 9110 §13.1.5). An invalid or repeated `ETag` is ignored, as if there were none.
    ///
    /// - Parameter fields: The fields of the response.
    package init?(in fields: HTTPFields) {
        if let tag = Self.tag(in: fields) {
            guard !Self.isWeak(tag) else { return nil }
            self = .entityTag(tag)
        } else if let date = Self.strongDate(in: fields) {
            self = .lastModified(date)
        } else {
            return nil
        }
    }

    /// The text for an `If-Range` field.
    package var text: String {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    /// Returns whether a response is that of another representation than the one with this validator.
    ///
    /// A partial response need not repeat the validator, so its absence is no contradiction.
    ///
    /// - Parameter fields: The fields of the response.
    /// - Returns: Whether it has another validator, weak ones included.
    package func isContradicted(by fields: HTTPFields) -> Bool {
        switch self {
        case .entityTag(let known):
            let tags = fields[values: .eTag]
            return !tags.isEmpty && tags != [known]
        case .lastModified(let known):
            // The known representation had no entity tag.
            if Self.tag(in: fields) != nil { return true }
            let dates = fields[values: .lastModified]
            return !dates.isEmpty && dates != [known]
        }
    }

    // MARK: Parsing

    /// Returns the entity tag of a response, weak or strong.
    private static func tag(in fields: HTTPFields) -> String? {
        let tags = fields[values: .eTag]
        return tags.count == 1 && isTag(tags[0]) ? tags[0] : nil
    }

    private static func isWeak(_ tag: String) -> Bool { tag.hasPrefix("W/") }

    /// Returns whether a text is an entity tag, weak or strong: RFC 9110 §8.8.3.
    private static func isTag(_ text: String) -> Bool {
        let quote = UInt8(ascii: "\"")
        let opaque = isWeak(text) ? text.utf8.dropFirst(2) : text.utf8[...]
        guard opaque.count >= 2, opaque.first == quote, opaque.last == quote,
            opaque.dropFirst().dropLast().allSatisfy({ $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F })
        else { return false }
        // Bytes that are not UTF-8 were replaced by this character, and can't be sent back.
        return text.unicodeScalars.allSatisfy { $0 != "\u{FFFD}" }
    }

    /// Returns the `Last-Modified` of a response if it is strong: RFC 9110 §8.8.2.2.
    private static func strongDate(in fields: HTTPFields) -> String? {
        let (modified, sent) = (fields[values: .lastModified], fields[values: .date])
        let now = Date()
        guard modified.count == 1, sent.count == 1, let change = HTTPDate.date(modified[0], now: now),
            let response = HTTPDate.date(sent[0], now: now), response.timeIntervalSince(change) >= 1
        else { return nil }
        return modified[0]
    }
}

/// Stored as the text for an `If-Range` field.
extension EntityValidator: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        if Self.isTag(text), !Self.isWeak(text) {
            self = .entityTag(text)
        } else if HTTPDate.date(text, now: Date()) != nil {
            self = .lastModified(text)
        } else {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "it is neither a strong entity tag nor a date"
            )
            throw DecodingError.dataCorrupted(context)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
