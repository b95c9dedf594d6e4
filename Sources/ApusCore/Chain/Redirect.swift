internal import HTTPTypes

/// Follows redirects.
///
/// Credentials belong to an origin: a hop to another one carries none. A loop is a method and target that come up for
/// the third time, so that a page that sends its visitor back once, having set a cookie, works.
///
/// See RFC 9110 §15.4, https://www.rfc-editor.org/rfc/rfc9110.html#section-15.4
package struct Redirect: Middleware {
    private let policy: RedirectPolicy

    package init(policy: RedirectPolicy) {
        self.policy = policy
    }

    package func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let original = request
        let response = try await next(original, context: context)
        guard (300...399).contains(response.status.code) else { return response }
        return try await follow(response, to: original, context: context, next: next)
    }

    /// Apart from `handle`, so that an answer that is no redirect pays for none of this.
    private func follow(
        _ first: ResponseMessage,
        to original: RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let policy = context[RedirectPolicy.self] ?? policy
        guard policy.limit > 0 else { return first }
        let decision = context[RedirectDecision.self]
        var request = original
        var response = first
        var visits = [Visit(original): 1]
        var count = 0
        while var redirected = try hop(after: response, to: request, policy: policy) {
            if let decision {
                guard let decided = await decision.request(after: response.head, redirected, in: context) else {
                    return response
                }
                redirected = decided
            }
            response.discard()
            count += 1
            guard count <= policy.limit else {
                throw failure(.tooManyRedirects, "more than \(policy.limit) in a row", response, request)
            }
            visits[Visit(redirected), default: 0] += 1
            guard visits[Visit(redirected), default: 0] < 3 else {
                throw failure(
                    .redirectLoop,
                    "they lead to \(Redaction.url(redirected.target.uri)) again",
                    response,
                    request
                )
            }
            request = redirected
            response = try await next(request, context: context, because: .redirect)
        }
        return response
    }

    private struct Visit: Hashable {
        let method: HTTPRequest.Method
        let target: TargetURI

        init(_ request: RequestMessage) {
            self.method = request.method
            self.target = request.target
        }
    }

    /// The request that the response asks for; `nil` where it is no redirect that can be followed.
    private func hop(
        after response: ResponseMessage,
        to request: RequestMessage,
        policy: RedirectPolicy
    ) throws(ApusError) -> RequestMessage? {
        let code = response.status.code
        guard [301, 302, 303, 307, 308].contains(code), let location = response.fields[.location] else { return nil }
        do throws(ApusError) {
            var redirected = request
            redirected.target = try target(location, from: request.target, policy: policy)
            let isReading = request.method == .get || request.method == .head
            // Only 307 and 308 ask for the same request again. Content that a GET has goes no further either.
            if code < 307, code == 303 || isReading || request.method == .post {
                if !isReading { redirected.method = .get }
                redirected.body = .none
                redirected.fields.removeContentFields()
            } else {
                redirected.body = try request.body.replayed(for: "the redirect to \(Redaction.url(location))")
            }
            if redirected.target.origin != request.target.origin {
                redirected.fields.removeCredentials()
            }
            return redirected
        } catch {
            response.discard()
            throw error.about(method: request.method, target: request.target).with(response: response.head)
        }
    }

    private func target(
        _ location: String,
        from base: TargetURI,
        policy: RedirectPolicy
    ) throws(ApusError) -> TargetURI {
        let found: TargetURI
        do throws(ApusError) {
            found = try base.resolving(location)
        } catch {
            throw ApusError(.redirectInvalid, "its Location is '\(Redaction.url(location))', and \(error.detail)")
        }
        if base.origin.scheme == .https, found.origin.scheme == .http, !policy.allowsDowngrade {
            throw ApusError(
                .redirectInvalid,
                "it leads from https to \(Redaction.url(found.uri)); allow that with RedirectPolicy.follow(allowsDowngrade: true)"
            )
        }
        // A user name in a Location is the peer's, not the user's; the user's own stay with their origin.
        let kept = found.origin == base.origin ? base.userInformation : nil
        return TargetURI(origin: found.origin, path: found.path, userInformation: kept)
    }

    private func failure(
        _ code: ApusError.Code,
        _ detail: String,
        _ response: ResponseMessage,
        _ request: RequestMessage
    ) -> ApusError {
        ApusError(code, detail).about(method: request.method, target: request.target).with(response: response.head)
    }
}

extension HTTPFields {
    /// Takes out what describes a content that is no longer sent.
    fileprivate mutating func removeContentFields() {
        let names: [HTTPField.Name] = [
            .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation, .contentDisposition,
            .transferEncoding, .trailer, .expect,
        ]
        for name in names { self[name] = nil }
    }

    /// Takes out what belongs to the origin that was left.
    fileprivate mutating func removeCredentials() {
        self[.origin] = nil
        if let host = HTTPField.Name("Host") { self[host] = nil }
        for name in Set(map(\.name)) where Redaction.secretFields.contains(name.canonicalName) { self[name] = nil }
    }
}
