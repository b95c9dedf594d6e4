/// Changes requests before they are sent, each attempt afresh.
///
/// ```swift
/// struct Signature: RequestAdapter {
///     func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
///         var request = request
///         request.fields[.authorization] = "Bearer \(try await Vault.token())"
///         return request
///     }
/// }
/// ```
///
/// Adapters run one after the other: those of the session first, then those of the request, in the order in which they
/// were added. If one throws, the attempt ends, and the retriers are asked about its error. Adapters run when the
/// request is no longer queued. A request that an adapter makes of the same session, for a fresh token for example, is
/// not queued. A request that is cancelled does not wait for its adapters.
public protocol RequestAdapter: Sendable {
    /// Makes the request that is sent of the one that was made.
    ///
    /// - Parameters:
    ///   - request: The request as the adapters before this one left it; in each attempt it begins with what the user made.
    ///   - context: What belongs to the request but is not sent.
    /// - Returns: The request as it is to be sent.
    /// - Throws: Anything; what is no `ApusError` becomes the cause of one with the code `adaptationFailed`.
    func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage
}

/// An adapter made of a closure.
///
/// ```swift
/// let versioned = Adapter.promptly { request, context in
///     request.fields[.userAgent] = "Example/1.0"
/// }
/// ```
public struct Adapter: RequestAdapter {
    /// Changes a request, and may wait for anything.
    public typealias Change = @Sendable (RequestMessage, RequestContext) async throws -> RequestMessage
    /// Changes a request, and neither waits nor blocks.
    public typealias PromptChange = @Sendable (inout RequestMessage, RequestContext) throws -> Void

    private enum Kind: Sendable {
        case patient(Change)
        case prompt(PromptChange)
    }

    private let kind: Kind

    /// Makes an adapter of an async closure.
    ///
    /// - Parameter change: Changes the request. It runs on the global executor, unless the session says otherwise.
    public init(_ change: @escaping Change) {
        kind = .patient(change)
    }

    /// Makes an adapter of a closure that neither waits nor blocks.
    ///
    /// - Parameter change: Changes the request. It runs where the request was made, which costs less than leaving that: on
    ///   the main actor for a request from there, on an event loop for one of a task that prefers it. Whatever blocks here
    ///   holds that up.
    /// - Returns: The adapter.
    public static func promptly(_ change: @escaping PromptChange) -> Adapter {
        Adapter(kind: .prompt(change))
    }

    private init(kind: Kind) {
        self.kind = kind
    }

    /// Makes an adapter of a closure that calls back.
    ///
    /// - Parameter change: Changes the request and calls its completion, once; what it calls later has no effect. A request
    ///   that is cancelled does not wait for it.
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
        case .patient(let change):
            return try await change(request, context)
        case .prompt(let change):
            var request = request
            try change(&request, context)
            return request
        }
    }
}

extension Adapter: EagerAdapter {
    package var adaptation: EagerAdaptation? {
        guard case .prompt(let change) = kind else { return nil }
        return EagerAdaptation { request, context in
            try change(&request, context)
            return true
        }
    }
}
