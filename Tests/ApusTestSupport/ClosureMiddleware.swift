package import ApusCore

/// A middleware that calls a closure.
package struct ClosureMiddleware: Middleware {
    package typealias Body = @Sendable (RequestMessage, RequestContext, Next) async throws -> ResponseMessage

    private let body: Body

    package init(_ body: @escaping Body) {
        self.body = body
    }

    /// Returns a middleware that waits at the barrier, even if the request is cancelled, and then sends it on.
    package static func waiting(at barrier: Barrier) -> ClosureMiddleware {
        ClosureMiddleware { request, context, next in
            await barrier.pass()
            return try await next(request, context: context)
        }
    }

    package func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let request = request
        return try await body(request, context, next)
    }
}
