internal import ApusJSON

/// A link in a `Link` field, which leads from a response to a related resource.
///
/// ```swift
/// let response = try await session.get("https://api.example.org/users")
/// if let license = response.links.first(where: { $0.has(relation: "license") }) {
///     print(license.title ?? license.reference)
/// }
/// ```
///
/// All parts come from the server. Check the origin of a `target` before you send credentials to it.
/// ``Session/pages(of:query:fields:options:otherOrigins:maximumCount:)`` does so.
///
/// See RFC 8288, https://www.rfc-editor.org/rfc/rfc8288.html
public struct WebLink: Sendable, Hashable {
    /// A further parameter of a link, such as `media`.
    public struct Attribute: Sendable, Hashable {
        /// The name, in lowercase.
        public let name: String
        /// The value. Empty if the parameter has none.
        public let value: String
    }

    /// The maximum number of links that are read from the fields of a message, unless another is given: 256.
    public static let defaultMaximumCount = 256

    /// The URI reference as received.
    public let reference: String
    /// The resolved reference. `nil` if it is not a valid `http` or `https` URI.
    public let target: TargetURI?
    /// The relation types (`rel`), in lowercase and in order. Empty if there are none.
    public let relations: [String]
    /// The reference to the resource that the link belongs to, as received. `nil` if it is that of the response.
    public let anchor: String?
    /// The title: that of `title*`, which names its encoding, or else that of `title`.
    public let title: String?
    /// The expected media type of the target.
    public let type: String?
    /// The expected languages of the target (`hreflang`).
    public let languages: [String]
    /// All other parameters, in order.
    public let attributes: [Attribute]

    init(_ link: LinkParser.Link, relativeTo base: TargetURI) {
        // Only the first of a repeated parameter counts, except for the languages (RFC 8288 §3.3 and §3.4.1).
        func first(_ name: String) -> String? { link.parameters.first { $0.name == name }?.value }
        let known: Set = ["rel", "anchor", "title", "title*", "type", "hreflang"]
        self.reference = String(decoding: link.reference, as: UTF8.self)
        self.target = try? base.resolving(octets: Array(link.reference))
        self.relations = (first("rel") ?? "").split { $0.isWhitespace }.map { $0.lowercased() }
        self.anchor = first("anchor")
        self.title = first("title*").flatMap { ExtendedValue.text($0) } ?? first("title")
        self.type = first("type")
        self.languages = link.parameters.filter { $0.name == "hreflang" }.map(\.value)
        self.attributes = link.parameters.filter { !known.contains($0.name) }
            .map { Attribute(name: $0.name, value: $0.value) }
    }

    /// Returns whether the link has a relation type, such as `next`. The case of letters does not matter.
    public func has(relation: String) -> Bool { relations.contains(relation.lowercased()) }
}

// Without this, reflection would print the query of the reference, which may hold secrets.
extension WebLink: CustomStringConvertible {
    /// The reference without query values, and the relation types.
    public var description: String {
        let relations = Excerpt.sentence(Redaction.text(relations.joined(separator: " ")))
        return "<\(Excerpt.sentence(Redaction.url(reference)))>; rel=\"\(relations)\""
    }
}
