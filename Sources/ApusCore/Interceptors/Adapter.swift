/// An adapter that calls a closure.
///
/// ```swift
/// let versioned = Adapter.synchronous { request, context in
///     request.fields[.userAgent] = "Example/1.0"
/// }
/// ```
public struct Adapter: RequestAdapter {
    /// An async closure that returns the adapted request.
    public typealias Change = @Sendable (RequestMessage, RequestContext) async throws -> RequestMessage
    /// A closure that changes the request in place. It must not block.
    public typealias SynchronousChange = @Sendable (inout RequestMessage, RequestContext) throws -> Void

    private enum Kind: Sendable {
        case asynchronous(Change)
        case synchronous(SynchronousChange)
    }

    private let kind: Kind

    /// Creates an adapter from an async closure.
    ///
    /// - Parameter change: Returns the adapted request. It runs off the event loop unless configured otherwise.
    public init(_ change: @escaping Change) {
        kind = .asynchronous(change)
    }

    /// Creates an adapter from a closure that neither waits nor blocks.
    ///
    /// - Parameter change: Changes the request. It runs where the request was made, which avoids a thread change: on
    ///   the main actor for a request from there, on an event loop for a request of a task that prefers it. If it
    ///   blocks, it delays other work there.
    /// - Returns: The adapter.
    public static func synchronous(_ change: @escaping SynchronousChange) -> Adapter {
        Adapter(kind: .synchronous(change))
    }

    private init(kind: Kind) {
        self.kind = kind
    }

    /// Creates an adapter from a closure with a completion handler.
    ///
    /// - Parameter change: Changes the request and calls its completion handler once. Later calls have no effect. A
    ///   cancelled request does not wait for it.
    public init(
        _ change:
            @escaping @Sendable (
                RequestMessage,
                RequestContext,
                _ completion: @escaping @Sendable (Result<RequestMessage, any Error>) -> Void
            ) -> Void
    ) {
        self.init { request, context in
            try await Callback.result(whenCancelled: .failure(CancellationError())) { completion in
                change(request, context, completion)
            }
            .get()
        }
    }

    public func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
        switch kind {
        case .asynchronous(let change):
            return try await change(request, context)
        case .synchronous(let change):
            var request = request
            try change(&request, context)
            return request
        }
    }
}

extension Adapter {
    /// `nil` if the adapter was created from an async closure.
    var synchronousChange: SynchronousChange? { if case .synchronous(let change) = kind { change } else { nil } }
}
