/// Runs the user's middleware where user code runs: off the event loop, unless the session says otherwise. Its calls to
/// `next` return to the event loop.
package struct UserMiddleware: Middleware {
    private let base: any Middleware
    private let userCode: UserCodeExecution

    package init(_ base: any Middleware, userCode: UserCodeExecution) {
        self.base = base
        self.userCode = userCode
    }

    package func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let request = request
        do {
            return try await context.environment.awaiting {
                guard userCode == .offLoop else {
                    return try await base.handle(request, context: context, next: next)
                }
                let next = next.returning(to: withUnsafeCurrentTask { $0?.preferredExecutor })
                return try await offLoop { [base] in
                    try await base.handle(request, context: context, next: next)
                }
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
