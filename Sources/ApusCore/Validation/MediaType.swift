internal import ApusJSON
internal import HTTPTypes

/// The type and subtype of a media type or media range, in lowercase. Parameters do not matter for validation.
///
/// See RFC 9110 §8.3.1, https://www.rfc-editor.org/rfc/rfc9110.html#section-8.3.1
package struct MediaType: Hashable {
    package let type: String
    package let subtype: String

    /// Parses a media type and ignores its parameters. Returns `nil` if it is invalid.
    package init?(_ string: some StringProtocol) {
        let essence = string.prefix { $0 != ";" }.lowercased()
        let parts = essence.trimmed.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } })
        else {
            return nil
        }
        self.type = String(parts[0])
        self.subtype = String(parts[1])
    }

    /// Returns whether this range covers `other`.
    package func accepts(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && acceptsSubtype(other.subtype)
    }

    /// Returns whether the subtype covers `other`. `*+json` covers each subtype with that suffix, RFC 6839.
    private func acceptsSubtype(_ other: String) -> Bool {
        if subtype == "*" || subtype == other { return true }
        return subtype.hasPrefix("*+") && other.hasSuffix(subtype.dropFirst()) && other.utf8.count >= subtype.utf8.count
    }

    /// Whether the whole body is a token, RFC 7519 §10.3 and RFC 7515 §9.2.
    package var isToken: Bool {
        subtype == "jwt" || subtype.hasSuffix("+jwt") || subtype == "jose" || subtype == "jose+json"
    }

    var isWildcard: Bool { type == "*" && subtype == "*" }

    /// Returns the media ranges of the request's `Accept` field, or the range of all types if it has none.
    static func acceptable(by fields: HTTPFields) -> [String] {
        guard fields.contains(.accept), let accept = fields[.accept] else { return ["*/*"] }
        return accept.split(separator: ",").map(String.init)
    }

    /// Returns the error for a content type that is not acceptable, or `nil` if it is.
    package static func refusal(of contentType: String?, acceptable: [String]) -> ApusError? {
        let ranges = acceptable.compactMap { MediaType($0) }
        if ranges.contains(where: \.isWildcard) { return nil }
        let wanted = acceptable.map(\.trimmed).joined(separator: ", ")
        guard let contentType else {
            return ApusError(.missingContentType, "it has no Content-Type, but \(wanted) was expected")
                .with(acceptableContentTypes: acceptable.map(\.trimmed))
        }
        guard let found = MediaType(contentType), ranges.contains(where: { $0.accepts(found) }) else {
            return ApusError(
                .unacceptableContentType,
                "its Content-Type is \(Excerpt.quoted(contentType)), but \(wanted) was expected"
            )
            .with(acceptableContentTypes: acceptable.map(\.trimmed))
        }
        return nil
    }
}

extension StringProtocol {
    /// The string without leading and trailing spaces and tabs.
    package var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
