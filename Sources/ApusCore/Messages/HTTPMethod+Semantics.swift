package import HTTPTypes

extension HTTPRequest.Method {
    /// The methods that RFC 9110 §9.2.2 calls idempotent, and `QUERY`, which is defined to be.
    package static let idempotent: Set<HTTPRequest.Method> = [
        .delete, .get, .head, .options, .put, .trace, .query,
    ]

    /// Whether the method is idempotent. The common method is compared first, which avoids hashing.
    package var isIdempotent: Bool { self == .get || Self.idempotent.contains(self) }
}

extension RequestMessage {
    /// Whether the request may be sent twice without a further effect: its method is idempotent, or it has an
    /// `Idempotency-Key` field.
    ///
    /// Retry policies, the resend after a dead kept-alive connection, the offline retrier and hedging ask this one
    /// question. `IdempotencyKeyMiddleware` adds the field.
    ///
    /// See RFC 9110 §9.2.2, and
    /// https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
    public var isIdempotent: Bool { method.isIdempotent || fields.contains(.idempotencyKey) }
}

extension HTTPField.Name {
    /// The name of the field that makes a repeated request harmless. It is a valid name, so the fallback is never used.
    package static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .ifMatch
}
