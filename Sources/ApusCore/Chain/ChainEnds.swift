/// What stands at both ends of a session's chain, with all middleware of the user's between, and what comes before:
/// for a room that watches requests and exchanges. Neither end may block, since they stay on the event loop.
package struct ChainEnds: RequestOption {
    /// Takes down, in the options of a request, what it has to know of the task that asks for it. The task that it
    /// runs in may be another, and one that was begun by whoever made room for it.
    let prepare: @Sendable (inout RequestOptions) -> Void
    /// Sees each attempt at a request, outside of all others.
    package let outer: any Middleware
    /// Sees each exchange, behind all others.
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
