/// Runs the user's middleware where user code runs: off the event loop, unless the session says otherwise. Its calls to
/// `next` return to the event loop.
package struct UserMiddleware: Middleware {
    private let base: any Middleware
    private let handlerExecution: HandlerExecution

    package init(_ base: any Middleware, handlerExecution: HandlerExecution) {
        self.base = base
        self.handlerExecution = handlerExecution
    }

    package func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let request = request
        do {
            return try await context.environment.awaiting {
                guard handlerExecution == .concurrent else {
                    return try await base.handle(request, context: context, next: next)
                }
                let next = next.returning(to: withUnsafeCurrentTask { $0?.preferredExecutor })
                return try await offEventLoop { [base] in
                    try await base.handle(request, context: context, next: next)
                }
            }
        } catch {
            throw ApusError(wrapping: error, as: .middlewareFailed, by: "\(type(of: base))")
        }
    }
}
