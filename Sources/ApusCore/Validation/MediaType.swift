internal import HTTPTypes

/// A media type or range, as far as accepting goes: type and subtype, in lower case.
///
/// See RFC 9110 §8.3.1, https://www.rfc-editor.org/rfc/rfc9110.html#section-8.3.1
package struct MediaType: Hashable {
    package let type: String
    package let subtype: String

    /// Reads a media type and passes over its parameters; `nil` where it is none.
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

    /// Whether this range covers `other`.
    package func accepts(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && acceptsSubtype(other.subtype)
    }

    /// `*+json` covers each subtype with that suffix, RFC 6839.
    private func acceptsSubtype(_ other: String) -> Bool {
        if subtype == "*" || subtype == other { return true }
        return subtype.hasPrefix("*+") && other.hasSuffix(subtype.dropFirst()) && other.utf8.count >= subtype.utf8.count
    }

    /// Whether the whole content is a token, RFC 7519 §10.3 and RFC 7515 §9.2.
    var isToken: Bool {
        subtype == "jwt" || subtype.hasSuffix("+jwt") || subtype == "jose" || subtype == "jose+json"
    }

    var isWildcard: Bool { type == "*" && subtype == "*" }

    /// What the request's own Accept field asks for; anything where it has none.
    static func acceptable(by fields: HTTPFields) -> [String] {
        guard fields.contains(.accept), let accept = fields[.accept] else { return ["*/*"] }
        return accept.split(separator: ",").map(String.init)
    }

    /// Why a content type is not among the acceptable ones; `nil` where it is.
    package static func refusal(of contentType: String?, acceptable: [String]) -> ApusError? {
        let ranges = acceptable.compactMap { MediaType($0) }
        if ranges.contains(where: \.isWildcard) { return nil }
        let wanted = acceptable.map(\.trimmed).joined(separator: ", ")
        guard let contentType else {
            return ApusError(.missingContentType, "it has no Content-Type, and \(wanted) was wanted")
        }
        guard let found = MediaType(contentType), ranges.contains(where: { $0.accepts(found) }) else {
            return ApusError(
                .unacceptableContentType,
                "its Content-Type is \(Excerpt.quoted(contentType)), and \(wanted) was wanted"
            )
        }
        return nil
    }
}

extension StringProtocol {
    /// Without spaces and tabs at either end.
    package var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
