public import HTTPTypes

extension RequestMessage {
    /// Creates a request from an `HTTPRequest` of swift-http-types. `head` returns it again.
    ///
    /// ```swift
    /// let head = HTTPRequest(method: .get, scheme: "https", authority: "example.org", path: "/search?q=a")
    /// let response = try await session.send(RequestMessage(head))
    /// ```
    ///
    /// The target is checked like a URL: characters that a URI does not allow are encoded, and a missing path is `/`.
    ///
    /// - Parameters:
    ///   - request: The method, the target and the fields.
    ///   - body: The body. Default: none.
    /// - Throws: `ApusError` with the code `invalidURL` if the scheme is missing or is neither `http` nor `https`, the
    ///   authority is missing or invalid, or the path does not begin with a slash.
    ///
    /// See RFC 9110 §7.1, https://www.rfc-editor.org/rfc/rfc9110.html#section-7.1
    public init(_ request: HTTPRequest, body: RequestBody = .none) throws(ApusError) {
        self.init(
            method: request.method,
            target: try TargetURI(request),
            fields: request.headerFields,
            body: body
        )
    }
}

extension TargetURI {
    /// Creates the target of a request. Each part is checked before they are joined, so none can change another.
    fileprivate init(_ request: HTTPRequest) throws(ApusError) {
        guard let scheme = request.scheme.flatMap({ Origin.Scheme(rawValue: $0.lowercased()) }) else {
            throw ApusError(.invalidURL, "the HTTPRequest needs the scheme http or https")
        }
        guard let authority = request.authority, !authority.isEmpty,
            !authority.utf8.contains(where: { "/?#\\".utf8.contains($0) })
        else {
            throw ApusError(.invalidURL, "the HTTPRequest needs a host as its authority, with a port if it has one")
        }
        let path = request.path ?? ""
        guard path.isEmpty || path.utf8.first == UInt8(ascii: "/") else {
            throw ApusError(.invalidURL, "the path of the HTTPRequest does not begin with a slash")
        }
        try self.init("\(scheme.rawValue)://\(authority)\(path)")
    }
}
