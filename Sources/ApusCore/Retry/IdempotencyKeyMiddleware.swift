public import Foundation
public import HTTPTypes

/// Gives requests that are not idempotent a key of their own, so that the server processes them once even if they
/// arrive twice.
///
/// All attempts at a request have the same key, and so do a redirect's and a hedge's exchanges. A request with a key
/// counts as idempotent, so `RetryPolicy` retries a `POST` that has one. A request that already has the field keeps its
/// own.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.middleware = [IdempotencyKeyMiddleware()]
/// configuration.interceptor = RetryPolicy()
/// ```
///
/// Use it only for servers that honor the field. See
/// https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
public struct IdempotencyKeyMiddleware: Middleware {
    private enum Key: RequestContextKey {
        typealias Value = String
    }

    private let methods: Set<HTTPRequest.Method>
    private let makeKey: @Sendable (RequestMessage) -> String

    /// Creates a middleware.
    ///
    /// - Parameters:
    ///   - methods: The methods whose requests get a key. Default: `POST` and `PATCH`.
    ///   - makeKey: Makes the value of the field, once for each request. Default: a UUID as a quoted string.
    public init(
        methods: Set<HTTPRequest.Method> = [.post, .patch],
        makeKey: @escaping @Sendable (RequestMessage) -> String = { _ in "\"\(UUID().uuidString.lowercased())\"" }
    ) {
        self.methods = methods
        self.makeKey = makeKey
    }

    public func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        guard methods.contains(request.method), !request.fields.contains(.idempotencyKey) else {
            return try await next(request, context: context)
        }
        var request = request
        let key = context.value(of: Key.self) { [request] in makeKey(request) }
        request.fields.append(try HTTPField(name: .idempotencyKey, checking: key))
        return try await next(request, context: context)
    }
}
