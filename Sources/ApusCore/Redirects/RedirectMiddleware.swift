internal import HTTPTypes

/// Follows redirects according to the policy and the redirect handler.
///
/// Credentials belong to an origin, so by default a redirect to another origin carries none. A redirect to a target
/// that was requested before is followed too, since some sites set a cookie and redirect back. Only the limit counts.
/// Whether a redirect leads from https to http depends on the targets that are really sent, after upgrades by HSTS.
///
/// See RFC 9110 §15.4, https://www.rfc-editor.org/rfc/rfc9110.html#section-15.4
package final class RedirectMiddleware: SynchronousMiddleware {
    private let policy: RedirectPolicy
    private let redirector: Redirector
    private let decoding: ContentDecoding?
    private let upgrader: (any TargetUpgrading)?

    /// - Parameters:
    ///   - policy: The policy of requests whose options have none.
    ///   - redirector: The redirect handler of requests that have none. Default: `.follow`.
    ///   - decoding: Whether responses are decoded unless a request's options say otherwise. `nil` if the transport
    ///     decodes them. Default: `nil`.
    ///   - upgrader: Upgrades the targets of redirects to https. Default: `nil`.
    package init(
        policy: RedirectPolicy,
        redirector: Redirector = .follow,
        decoding: ContentDecoding? = nil,
        upgrader: (any TargetUpgrading)? = nil
    ) {
        self.policy = policy
        self.redirector = redirector
        self.decoding = decoding
        self.upgrader = upgrader
    }

    package var resends: Bool { true }

    package func isConcerned(by response: borrowing ResponseMessage) -> Bool {
        (300...399).contains(response.status.code)
    }

    package func conclude(
        _ first: ResponseMessage,
        to original: RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let policy = original.options[RedirectPolicy.self] ?? policy
        guard policy.limit > 0 else {
            if RedirectRules.isFollowable(first.status, first.fields) { context.post(.redirected(first.head, to: nil)) }
            return first
        }
        var request = original
        var response = first
        var redirects: [FollowedRedirect] = []
        while RedirectRules.isFollowable(response.status, response.fields) {
            // The handle's redirect handler may be set while the request is running.
            let redirector = context.override(Redirector.self) ?? original.options[Redirector.self] ?? redirector
            guard !redirector.refusesAll else {
                context.post(.redirected(response.head, to: nil))
                return response
            }
            let isUpgraded: Bool
            do {
                let rules = RedirectRules(
                    policy: policy,
                    requestsCodings: requestsCodings(original),
                    upgrader: upgrader,
                    isSecure: response.target.origin.scheme == .https
                )
                let (proposal, isProposalUpgraded) = try rules.proposal(after: response, to: request)
                guard let decided = try await redirector.decide(proposal, response, context) else {
                    context.post(.redirected(response.head, to: nil))
                    return response
                }
                let redirected = try rules.checked(decided, proposal, after: request)
                guard redirects.count < policy.limit else {
                    throw ApusError(
                        .tooManyRedirects,
                        "there were more than \(policy.limit) redirects",
                        hint: "raise RedirectPolicy.follow(limit:) if that is expected"
                    )
                }
                isUpgraded = isProposalUpgraded || !redirected.target.isIdentical(to: decided.target)
                redirects.append(FollowedRedirect(request, response))
                request = redirected
            } catch {
                response.discard()
                throw failure(error, response, request)
            }
            context.post(.redirected(response.head, to: request))
            response.discard()
            // The redirects of a request are those of its response, and not of further segments.
            if next.cause != .segment { context.note(redirects, inHedge: next.cause == .hedge) }
            do {
                response = try await next(request, context: context, because: .redirect)
            } catch let error as ApusError where isUpgraded {
                throw upgrader?.explained(error, of: request.target, request.options) ?? error
            }
        }
        return response
    }

    private func requestsCodings(_ request: RequestMessage) -> Bool {
        guard let decoding else { return false }
        return (request.options[ContentDecoding.self] ?? decoding) == .automatic
    }

    /// Returns the error for a redirect that was not followed. An error that has a response keeps it.
    private func failure(_ error: any Error, _ response: ResponseMessage, _ request: RequestMessage) -> ApusError {
        let failure = ApusError(wrapping: error, as: .redirectHandlerFailed)
        return failure.about(method: request.method, target: request.target)
            .with(response: failure.response ?? response.head)
    }
}
