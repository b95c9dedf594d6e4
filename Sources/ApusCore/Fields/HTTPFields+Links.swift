public import HTTPTypes

extension HTTPFields {
    /// Returns the links of all `Link` fields, in order.
    ///
    /// Invalid parts of a field are skipped.
    ///
    /// - Parameters:
    ///   - target: The target that references are resolved against: that of the response.
    ///   - maximumCount: The maximum number of links. Further ones are ignored. Default:
    ///     `WebLink.defaultMaximumCount`.
    /// - Returns: The links.
    ///
    /// See RFC 8288 §3, https://www.rfc-editor.org/rfc/rfc8288.html#section-3
    public func links(
        relativeTo target: TargetURI,
        maximumCount: Int = WebLink.defaultMaximumCount
    ) -> [WebLink] {
        var links: [WebLink] = []
        for field in self[fields: .link] {
            var parser = LinkParser(field.withUnsafeBytesOfValue { Array($0) })
            while links.count < maximumCount, let link = parser.next() {
                links.append(WebLink(link, relativeTo: target))
            }
        }
        return links
    }
}

extension HTTPField.Name {
    /// The name of the field with links. It is a valid name, so the fallback is never used.
    static let link = HTTPField.Name("Link") ?? .location
}

extension Response {
    /// The links of the response's `Link` fields, resolved against its target. At most
    /// `WebLink.defaultMaximumCount`.
    public var links: [WebLink] { fields.links(relativeTo: target) }
}

extension StreamedResponse {
    /// The links of the response's `Link` fields, resolved against its target. At most
    /// `WebLink.defaultMaximumCount`.
    public var links: [WebLink] { fields.links(relativeTo: target) }
}

extension SerializedResponse {
    /// The links of the response's `Link` fields, resolved against its target. At most
    /// `WebLink.defaultMaximumCount`. Empty if there was no response.
    public var links: [WebLink] {
        guard let response, let target else { return [] }
        return response.headerFields.links(relativeTo: target)
    }
}
