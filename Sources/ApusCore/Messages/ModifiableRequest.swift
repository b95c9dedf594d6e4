/// A type that builds requests, and whose modifier sees the options of the call and may change them.
package protocol ModifiableRequest: RequestConvertible {
    /// Builds the request.
    ///
    /// - Parameters:
    ///   - options: The options of the call, for the message before it is modified.
    ///   - base: The base URL of the session, if it has one.
    /// - Returns: The request.
    /// - Throws: The reason why there is no request.
    func asRequest(with options: RequestOptions, relativeTo base: TargetURI?) throws -> RequestMessage
}

extension RequestConvertible {
    /// Builds the request with the options of a call, and the base URL of a session if it has one.
    package func asRequest(overriding options: RequestOptions, relativeTo base: TargetURI?) throws -> RequestMessage {
        if let modifiable = self as? any ModifiableRequest {
            return try modifiable.asRequest(with: options, relativeTo: base)
        }
        return try asRequest().overriding(options)
    }

    func asRequest(in context: RequestContext) throws -> RequestMessage {
        try asRequest(overriding: context.options, relativeTo: try context.environment.baseURL?.get())
    }
}

extension ModifiableRequest {
    public func asRequest() throws -> RequestMessage { try asRequest(with: .none, relativeTo: nil) }
}
