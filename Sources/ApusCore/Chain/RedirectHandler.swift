public import HTTPTypes

/// Decides about redirects: whether one is followed, and by which request.
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
/// A session has one as `configuration.redirectHandler`. A handle can have another by `redirect(using:)`, and a request
/// by the option `Redirector`; it then replaces the session's. The session asks it about each redirect that the
/// `RedirectPolicy` would follow, off the event loop unless `userCode` is `.onLoop`. Cancelling the request cancels the
/// task of the handler, and does not wait for it. A request that the handler makes of the same session is not queued. A
/// transport that follows redirects by itself asks no handler.
public protocol RedirectHandler: Sendable {
    /// Says what becomes of a redirect.
    ///
    /// What is returned is checked before it is sent, as what the library would send was:
    /// - It may lead from https to http only where the policy's `allowsDowngrade` says so.
    /// - Its content has to be one that can be sent again.
    /// - Where it goes to another origin than `request` does, the credentials that `request` brought along stay behind.
    ///   What the handler sets for that hop itself is sent as it is: whoever decides knows where the request goes.
    ///
    /// - Parameters:
    ///   - request: What would be sent: to where the `Location` leads, with the method and content that RFC 9110 §15.4 asks
    ///     for, and without credentials where the origin is another one.
    ///   - response: The head of the redirect.
    ///   - context: What belongs to the request but is not sent; its `history` is what was followed before.
    /// - Returns: What is sent; `nil` where the redirect is to be the answer.
    /// - Throws: Anything, which ends the request; what is no `ApusError` becomes the cause of one with the code
    ///   `redirectHandlerFailed`.
    func redirect(
        to request: RequestMessage,
        after response: HTTPResponse,
        context: RequestContext
    ) async throws -> RequestMessage?
}

/// The usual ways to decide about redirects.
///
/// As an option it decides for a single request:
///
/// ```swift
/// let login = try await session.get("https://api.example.org/old", options: [Redirector.doNotFollow])
/// print(login.fields[.location] ?? "")
/// ```
public struct Redirector: RedirectHandler, RequestOption {
    /// Decides about a redirect; given the request that would be sent, the head of the redirect, and what belongs to the
    /// request but is not sent.
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

    /// Makes a redirector of any handler, so that it can be the option of a single request.
    ///
    /// - Parameter handler: Who decides.
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
    /// Redirects are followed as they come; the default.
    public static var follow: Redirector { Redirector(behavior: .follow) }

    /// A redirect is the answer, wherever it leads: to another scheme, for example, that can't be requested.
    public static var doNotFollow: Redirector { Redirector(behavior: .doNotFollow) }

    /// Redirects are followed as a closure says, which may be async or not.
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
    /// - Parameter decision: Returns what is sent, or `nil` where the redirect is to be the answer.
    /// - Returns: The redirector.
    public static func modify(_ decision: @escaping Redirector.Decision) -> Redirector {
        Redirector(behavior: .decide(decision))
    }
}

extension Redirector {
    /// Whether it asks nobody, and follows nothing.
    var refusesAll: Bool { if case .doNotFollow = behavior { true } else { false } }

    /// What `redirect` says, asked where code of the user's runs.
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
    /// What it does, in a word or two.
    public var description: String {
        switch behavior {
        case .follow: "follow"
        case .doNotFollow: "do not follow"
        case .decide: "modify"
        case .ask(let handler): "ask \(type(of: handler))"
        }
    }
}
