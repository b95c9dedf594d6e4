/// A middleware outside that of the user, for a product that observes all requests of a session. It must not block, since
/// it runs on the event loop.
package struct OuterMiddleware: RequestOption {
    package let middleware: any Middleware

    package init(_ middleware: any Middleware) {
        self.middleware = middleware
    }
}
