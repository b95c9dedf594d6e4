public import HTTPTypes

/// Decides whether a redirect is followed, and with which request.
///
/// ```swift
/// struct SameHost: RedirectHandler {
///     func redirect(
///         to request: RequestMessage,
///         after response: HTTPResponse,
///         context: RequestContext
///     ) async throws -> RequestMessage? {
///         request.target.origin.host.hasSuffix("example.org") ? request : nil
///     }
/// }
/// ```
///
/// Set it as `configuration.redirectHandler`. `redirect(using:)` replaces it for a handle, the option `Redirector` for
/// a single request. The session calls it for each redirect that the `RedirectPolicy` allows, off the event loop unless
/// `handlerExecution` is `.eventLoop`. Cancelling the request cancels the handler's task without waiting for it. A
/// request that the handler sends with the same session is not queued. A transport that follows redirects by itself
/// calls no handler.
public protocol RedirectHandler: Sendable {
    /// Decides how to proceed with a redirect.
    ///
    /// The returned request is checked in the same way as the library's own:
    /// - It may lead from https to http only if the policy's `allowsDowngrade` is set.
    /// - Its body has to be replayable.
    /// - If it leads to another origin than `request`, it loses the credentials that were already in `request`. Fields
    ///   that the handler sets itself are sent, since the handler knows where the request goes.
    ///
    /// - Parameters:
    ///   - request: The proposed request: to the target of `Location`, with the method and body that RFC 9110 §15.4
    ///     asks for. If the origin changes, it has no credentials unless the policy keeps them.
    ///   - response: The head of the redirect.
    ///   - context: Local data of the request, never sent to the server. Its `redirects` has the redirects followed so
    ///     far.
    /// - Returns: The request to send, or `nil` to return the redirect as the response.
    /// - Throws: Any error, which ends the request. One that is not an `ApusError` becomes the `underlying` error of
    ///   one with the code `redirectHandlerFailed`.
    func redirect(
        to request: RequestMessage,
        after response: HTTPResponse,
        context: RequestContext
    ) async throws -> RequestMessage?
}

/// The standard redirect handlers.
///
/// As an option, it applies to a single request:
///
/// ```swift
/// let login = try await session.get("https://api.example.org/old", options: [Redirector.doNotFollow])
/// print(login.fields[.location] ?? "")
/// ```
public struct Redirector: RedirectHandler, RequestOption {
    /// Decides about a redirect. Takes the proposed request, the head of the redirect, and the request's context.
    /// Returns the request to send, or `nil` to return the redirect as the response.
    public typealias Decision = @Sendable (RequestMessage, HTTPResponse, RequestContext) async throws -> RequestMessage?

    fileprivate enum Behavior: Sendable {
        case follow
        case doNotFollow
        case decide(Decision)
        case ask(any RedirectHandler)
    }

    private let behavior: Behavior

    fileprivate init(behavior: Behavior) {
        self.behavior = behavior
    }

    /// Wraps any handler, so that it can be the option of a single request.
    ///
    /// - Parameter handler: The handler to wrap.
    public init(_ handler: any RedirectHandler) {
        self = handler as? Redirector ?? Redirector(behavior: .ask(handler))
    }

    public func redirect(
        to request: RequestMessage,
        after response: HTTPResponse,
        context: RequestContext
    ) async throws -> RequestMessage? {
        switch behavior {
        case .follow: request
        case .doNotFollow: nil
        case .decide(let decision): try await decision(request, response, context)
        case .ask(let handler): try await handler.redirect(to: request, after: response, context: context)
        }
    }
}

extension RedirectHandler where Self == Redirector {
    /// Follows redirects as proposed. This is the default.
    public static var follow: Redirector { Redirector(behavior: .follow) }

    /// Returns each redirect as the response, for example one to a scheme that can't be requested.
    public static var doNotFollow: Redirector { Redirector(behavior: .doNotFollow) }

    /// Follows redirects as decided by a closure, which may be async.
    ///
    /// ```swift
    /// var configuration = Session.Configuration()
    /// configuration.redirectHandler = .modify { request, response, context in
    ///     var request = request
    ///     request.fields[.from] = "swift@example.org"
    ///     return request
    /// }
    /// ```
    ///
    /// - Parameter decision: Returns the request to send, or `nil` to return the redirect as the response.
    /// - Returns: The redirector.
    public static func modify(_ decision: @escaping Redirector.Decision) -> Redirector {
        Redirector(behavior: .decide(decision))
    }
}

extension Redirector {
    /// Whether it follows no redirect and calls no handler.
    var refusesAll: Bool { if case .doNotFollow = behavior { true } else { false } }

    /// Calls `redirect` on the executor of user code.
    func decide(
        _ request: RequestMessage,
        _ response: ResponseMessage,
        _ context: RequestContext
    ) async throws -> RequestMessage? {
        if case .follow = behavior { return request }
        let head = response.head
        let code = UserCode(environment: context.environment)
        let decision = try await code.run { () async -> Result<RequestMessage?, any Error> in
            do {
                return .success(try await redirect(to: request, after: head, context: context))
            } catch {
                return .failure(error)
            }
        }
        return try decision.get()
    }
}

extension Redirector: CustomStringConvertible {
    /// A short name of the behavior.
    public var description: String {
        switch behavior {
        case .follow: "follow"
        case .doNotFollow: "do not follow"
        case .decide: "modify"
        case .ask(let handler): "ask \(type(of: handler))"
        }
    }
}
