internal import ApusCore
internal import HTTPTypes

/// Answers authentication challenges: a request refused with 401 is sent again with a credential, if there is one.
///
/// A credential is remembered only for the origin that accepted it. A request with an `Authorization` field is left
/// unchanged. A refused credential is not sent again with any scheme, and the last refusal, including its body, becomes
/// the response. Once a credential was used with Digest at an origin, no weaker scheme sends it there for the rest of
/// the session, in any realm, because an attacker in the network could name another realm. A stale nonce does not
/// count as a refusal.
///
/// See RFC 9110 §11, https://www.rfc-editor.org/rfc/rfc9110.html#section-11
struct AuthenticationMiddleware: Middleware {
    /// The maximum number of times that a request is sent again, for any reason.
    static let roundLimit = 5

    let provider: any CredentialProvider
    /// Makes client nonces: 32 random hexadecimal digits. Tests replace it.
    var clientNonce: @Sendable () -> String = { UInt64.random() + UInt64.random() }
    private let memory: AuthenticationCache

    /// - Parameters:
    ///   - provider: Provides the credentials.
    ///   - proofs: The credentials that were used with Digest in the session.
    init(provider: any CredentialProvider, proofs: CredentialProofs) {
        self.provider = provider
        self.memory = AuthenticationCache(proofs: proofs)
    }

    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        guard !request.fields.contains(.authorization) else { return try await next(request, context: context) }
        let original = request
        let authorization = known(for: original.target)
        let response: ResponseMessage
        if let authorization {
            var authorized = original
            try await authorization.apply(to: &authorized)
            response = try await next(authorized, context: context)
        } else {
            response = try await next(original, context: context)
        }
        if response.status != .unauthorized {
            guard let authorization else { return response }
            return try recording(response, to: original, acceptedWith: authorization)
        }
        return try await follow(response, to: original, sent: authorization, context: context, next: next)
    }

    /// Returns the authorization for a space that accepted one before, if the provider still considers its
    /// credential current.
    private func known(for target: TargetURI) -> Authorization? {
        guard let authorization = memory.authorization(for: target) else { return nil }
        guard provider.isCurrent(authorization.credential, for: authorization.space) else {
            memory.refused(authorization)
            return nil
        }
        return authorization
    }

    /// Separate from `handle`, so that a response without a challenge does not pay for it.
    private func follow(
        _ first: ResponseMessage,
        to original: RequestMessage,
        sent: Authorization?,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        var response = first
        var history = History(request: original, sent: sent)
        for _ in 0..<Self.roundLimit {
            var request = original
            do throws(ApusError) {
                guard let authorization = try await self.authorization(for: response, &history, context) else {
                    reportChallenge(response, answeredBy: nil, context)
                    return response
                }
                request.body = try original.body.replayed(for: "the challenge of \(original.target.origin)")
                try await authorization.apply(to: &request)
                history.sent = authorization
            } catch {
                response.discard()
                throw error.about(method: original.method, target: original.target).with(response: response.head)
            }
            reportChallenge(response, answeredBy: history.sent, context)
            response.discard()
            response = try await next(request, context: context, because: .challenge)
            if response.status != .unauthorized, let authorization = history.sent {
                return try recording(response, to: original, acceptedWith: authorization)
            }
        }
        if let authorization = history.sent { memory.refused(authorization) }
        reportChallenge(response, answeredBy: nil, context)
        return response
    }

    /// Notifies the monitors of the result of a challenge. A refusal without a challenge is not reported.
    private func reportChallenge(
        _ response: ResponseMessage,
        answeredBy authorization: Authorization?,
        _ context: RequestContext
    ) {
        guard response.fields.contains(.wwwAuthenticate) else { return }
        context.post(.challenged(response.head, answeredBy: authorization?.space.scheme))
    }

    /// Remembers the accepted authorization, and checks the server's `Authentication-Info`.
    private func recording(
        _ response: ResponseMessage,
        to request: RequestMessage,
        acceptedWith authorization: Authorization
    ) throws(ApusError) -> ResponseMessage {
        var nextNonce: [UInt8]?
        if case .digest(let ticket) = authorization.proof, response.fields.contains(.authenticationInfo) {
            let lines = response.fields[fields: .authenticationInfo].map { $0.withUnsafeBytesOfValue { Array($0) } }
            let info = AuthenticationInfo.parameters(in: lines.joined(separator: ",".utf8))
            if ticket.isConfirmed(by: info, target: request.target.path) == false {
                response.discard()
                memory.refused(authorization)
                throw ApusError(
                    .malformedResponse,
                    "the rspauth of its Authentication-Info does not prove that the server knows the password"
                ).with(response: response.head)
            }
            nextNonce = info["nextnonce"]
        }
        memory.accepted(authorization, for: request.target, nextNonce: nextNonce)
        return response
    }

    // MARK: Challenges

    /// The authentication state of one challenged request.
    private struct History {
        let request: RequestMessage
        /// The authorization that was last sent.
        var sent: Authorization?
        /// The refused credentials.
        var refused: Set<Credential> = []
        /// The credentials used with Digest for any realm. No weaker scheme may send them.
        var provedByDigest: Set<Credential> = []

        /// Returns whether a credential may be sent with the offered scheme.
        func allows(_ credential: Credential, for offer: Offer, _ memory: AuthenticationCache) -> Bool {
            guard !refused.contains(credential) else { return false }
            return offer.isDigest
                || !provedByDigest.contains(credential)
                    && !memory.isProvedByDigest(credential, to: request.target.origin)
        }
    }

    /// Returns the authorization to send after a refusal, or `nil` if the refusal is final.
    private func authorization(
        for response: ResponseMessage,
        _ history: inout History,
        _ context: RequestContext
    ) async throws(ApusError) -> Authorization? {
        let offers = Offer.offers(in: response.fields)
        if let sent = history.sent {
            if case .digest = sent.proof { history.provedByDigest.insert(sent.credential) }
            // The remembered credential may belong to another realm than this one, which has not refused it yet.
            let isElsewhere = !sent.isFresh && !offers.contains { $0.challenge.realm == sent.space.realm }
            if !isElsewhere {
                memory.refused(sent)
                if let again = renewed(sent, offers) { return again }
                history.refused.insert(sent.credential)
            }
        }
        for offer in offers {
            let challenge = offer.challenge
            let query = CredentialQuery(
                space: ProtectionSpace(history.request.target.origin, realm: challenge.realm, scheme: challenge.scheme),
                challenge: challenge,
                target: history.request.target,
                previousFailureCount: history.refused.count
            )
            if let credential = try await credential(for: query, context),
                history.allows(credential, for: offer, memory),
                let authorization = try authorization(for: offer, with: credential, in: query.space)
            {
                return authorization
            }
        }
        return nil
    }

    /// Returns the same credential with a new nonce if the nonce was refused, not the credential: the server reports it
    /// as stale, or the nonce came from an earlier request.
    private func renewed(_ sent: Authorization, _ offers: [Offer]) -> Authorization? {
        guard case .digest(let ticket) = sent.proof else { return nil }
        for case .digest(let digest, let challenge) in offers {
            guard challenge.realm == sent.space.realm, digest.algorithm >= ticket.challenge.algorithm,
                digest.nonce != ticket.challenge.nonce, digest.isStale || !sent.isFresh
            else { continue }
            return authorization(for: digest, with: sent.credential, in: sent.space)
        }
        return nil
    }

    private func authorization(
        for offer: Offer,
        with credential: Credential,
        in space: ProtectionSpace
    ) throws(ApusError) -> Authorization? {
        let field: HTTPField
        switch (offer, credential.kind) {
        case (.digest(let digest, _), .user): return authorization(for: digest, with: credential, in: space)
        case (.bearer, .bearer(let token)): field = try .authorization(bearerToken: token)
        case (.basic, .user(let name, let password)):
            field = try .authorization(username: name.composed, password: password.composed)
        default: return nil
        }
        return Authorization(space: space, credential: credential, proof: .field(field), isFresh: true)
    }

    private func authorization(
        for digest: DigestChallenge,
        with credential: Credential,
        in space: ProtectionSpace
    ) -> Authorization? {
        guard case .user(let name, let password) = credential.kind else { return nil }
        let session = DigestSession(digest, user: name, password: password, clientNonce: clientNonce())
        return memory.authorization(for: digest.nonce, of: space, with: credential, session: session)
    }

    /// Calls the provider, which is user code and may be slow.
    private func credential(
        for query: CredentialQuery,
        _ context: RequestContext
    ) async throws(ApusError) -> Credential? {
        do {
            return try await context.environment.awaiting {
                guard context.environment.configuration.handlerExecution == .concurrent else {
                    return try await provider.credential(for: query)
                }
                return try await offEventLoop { [provider] in try await provider.credential(for: query) }
            }
        } catch {
            throw ApusError(wrapping: error, as: .middlewareFailed, by: "the credential provider")
        }
    }
}

extension UInt64 {
    /// Returns sixteen random hexadecimal digits from the system's generator.
    fileprivate static func random() -> String { random(in: .min ... .max).bigEndianBytes.hexadecimal }
}
