/// Takes a middleware of the user's off the event loop, and what it calls back onto it.
package struct OffLoopMiddleware: Middleware {
    private let base: any Middleware

    package init(_ base: any Middleware) {
        self.base = base
    }

    package func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let request = request
        let next = next.returning(to: withUnsafeCurrentTask { $0?.preferredExecutor })
        do {
            return try await offLoop { [base] in
                try await base.handle(request, context: context, next: next)
            }
        } catch {
            throw ApusError.wrapping(error) {
                ApusError(
                    .middlewareFailed,
                    "\(type(of: base)) threw \(Redaction.text(String(describing: $0)))",
                    underlying: $0
                )
            }
        }
    }
}
