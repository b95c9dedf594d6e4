/// The outermost and innermost middleware of a session's chain, and a step before the chain. For modules that observe
/// requests and exchanges. Neither middleware may block, since both run on the event loop.
package final class TracingMiddleware: RequestOption {
    /// Records in a request's options the state of the calling task that the middleware needs. The request itself may
    /// run in another task, even one that an earlier request has started.
    let prepare: @Sendable (inout RequestOptions) -> Void
    /// Handles each attempt at a request, outside all other middleware.
    package let outer: any Middleware
    /// Handles each exchange, inside all other middleware.
    package let inner: any Middleware

    package init(
        prepare: @escaping @Sendable (inout RequestOptions) -> Void,
        outer: any Middleware,
        inner: any Middleware
    ) {
        self.prepare = prepare
        self.outer = outer
        self.inner = inner
    }
}
