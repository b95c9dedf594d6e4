/// An adapter that can adapt most requests without waiting or blocking. It runs on the request's own executor, which
/// avoids a thread change.
///
/// ```swift
/// struct Versioned: SynchronousAdapter {
///     func adaptNow(_ request: inout RequestMessage, context: RequestContext) throws -> Bool {
///         request.fields[.userAgent] = "Example/1.0"
///         return true
///     }
/// }
/// ```
public protocol SynchronousAdapter: RequestAdapter {
    /// Changes the request in place, unless that has to wait.
    ///
    /// - Parameters:
    ///   - request: The request as the previous adapters left it.
    ///   - context: Local data of the request, never sent to the server.
    /// - Returns: `false` if the adapter has to wait for something, and has changed nothing: then `adapt` is called.
    /// - Throws: Any error, as `adapt` does.
    func adaptNow(_ request: inout RequestMessage, context: RequestContext) throws -> Bool
}

extension SynchronousAdapter {
    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
        var request = request
        _ = try adaptNow(&request, context: context)
        return request
    }
}

extension SynchronousAdapter where Self: RequestInterceptor {
    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
        var request = request
        _ = try adaptNow(&request, context: context)
        return request
    }
}

/// The synchronous form of an adapter. A closure is cheaper to call than an adapter in a list of existentials.
struct SynchronousAdaptation: Sendable {
    /// Changes the request in place. Returns `false` if the adapter has to wait and must run asynchronously.
    let change: @Sendable (inout RequestMessage, RequestContext) throws -> Bool

    /// Returns `nil` if the adapter always has to wait.
    init?(_ adapter: any RequestAdapter) {
        if let adapter = adapter as? Adapter {
            guard let change = adapter.synchronousChange else { return nil }
            self.change = { request, context in
                try change(&request, context)
                return true
            }
        } else if let adapter = adapter as? any SynchronousAdapter {
            self.change = { request, context in try adapter.adaptNow(&request, context: context) }
        } else {
            return nil
        }
    }
}
