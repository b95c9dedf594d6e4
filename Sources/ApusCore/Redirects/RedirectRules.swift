internal import ApusJSON
package import HTTPTypes

/// Makes the request that a redirect asks for, and checks the request that the redirect handler returns.
///
/// Schemes other than http and https need no rule here, since a `TargetURI` can't have one. It has no fragment either,
/// so a `Location` without a fragment has none to inherit.
///
/// See RFC 9110 §10.2.2, https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.2
package struct RedirectRules {
    let policy: RedirectPolicy
    /// Whether responses are decoded, so that each exchange requests content codings.
    let requestsCodings: Bool
    /// Upgrades targets to https, which is no downgrade then. `nil` if nothing does.
    var upgrader: (any TargetUpgrading)?
    /// Whether the redirect came over https, whatever the scheme of its request: an inner link may have upgraded it.
    var isSecure = false

    /// Returns whether a response is a redirect that has a `Location`.
    package static func isFollowable(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
        [301, 302, 303, 307, 308].contains(status.code) && fields.contains(.location)
    }

    /// Returns the request that a redirect asks for, and whether its target was upgraded to https. Whether its body can be
    /// sent again is not checked yet.
    func proposal(
        after response: ResponseMessage,
        to request: RequestMessage
    ) throws(ApusError) -> (RequestMessage, isUpgraded: Bool) {
        var redirected = request
        let (found, isUpgraded) = try target(of: response, to: request)
        redirected.target = found
        let code = response.status.code
        let isReading = request.method == .get || request.method == .head
        // 303 turns all methods but HEAD into GET, 301 and 302 only POST. A GET or HEAD loses its body too.
        if code < 307, code == 303 || isReading || request.method == .post {
            if !isReading { redirected.method = .get }
            redirected.body = .none
            redirected.fields.removeContentFields()
        }
        if found.origin != request.target.origin {
            redirected.fields.removeAll { policy.crossOriginFields.leavesBehind($0.name) }
            redirected.options.leaveOrigin()
        }
        return (redirected, isUpgraded)
    }

    /// Checks the request that the handler has made from a proposal, and returns it ready to be sent. The body is
    /// replayed last, so that a rejected redirect needs no replay.
    func checked(
        _ decided: RequestMessage,
        _ proposal: RequestMessage,
        after request: RequestMessage
    ) throws(ApusError) -> RequestMessage {
        var checked = decided
        // A handler that makes a new request has no reason to repeat the options of the old one.
        if decided.options.isEmpty { checked.options = proposal.options }
        if let upgraded = upgrader?.upgrade(decided.target, checked.options) { checked.target = upgraded }
        try refuseDowngrade(from: request.target, to: checked.target)
        if checked.target.origin != proposal.target.origin {
            // They were meant for another origin. It is not known whether they may be sent to this one.
            checked.fields.removeAll { field in
                policy.crossOriginFields.leavesBehind(field.name)
                    && proposal.fields[fields: field.name].contains { $0.value == field.value }
            }
            let keepsTrust = checked.options[ServerTrust.self] != proposal.options[ServerTrust.self]
            if checked.options[TLSSettings.self] == proposal.options[TLSSettings.self] {
                checked.options.leaveOrigin(keepsTrust: keepsTrust)
            } else if !keepsTrust {
                checked.options[ServerTrust.self] = nil
            }
        }
        checkCodings(of: &checked, proposal)
        // The proposal's user name is already in its fields. A new one is meant for this request.
        if let user = decided.target.userInformation, user != proposal.target.userInformation,
            decided.fields[.authorization] == proposal.fields[.authorization]
        {
            checked.fields[.authorization] = nil
            checked.fields.append(try .authorization(username: user.user, password: user.password))
        }
        checked.body = try decided.body.replayed(for: "the redirect to \(Self.shown(checked.target.uri))")
        return checked
    }

    /// Requests codings if the handler has made a new request that lacks them. Removes them if the handler has added a
    /// range, whose bytes are those of the unencoded content.
    private func checkCodings(of request: inout RequestMessage, _ proposal: RequestMessage) {
        let supported = HTTPField.supportedCodings
        guard requestsCodings else { return }
        if request.fields.allowsCodings {
            request.fields.append(supported)
        } else if request.fields.contains(.range), !proposal.fields.contains(.range),
            request.fields[.acceptEncoding] == supported.value
        {
            request.fields[.acceptEncoding] = nil
        }
    }

    private func target(
        of response: ResponseMessage,
        to request: RequestMessage
    ) throws(ApusError) -> (TargetURI, isUpgraded: Bool) {
        let base = request.target
        let locations = Set(response.fields[fields: .location].map { $0.withUnsafeBytesOfValue { Array($0) } })
        guard locations.count == 1, let location = locations.first else {
            throw ApusError(.redirectInvalid, "it has \(locations.count) different Location values")
        }
        let found: TargetURI
        do throws(ApusError) {
            found = try base.resolving(octets: location)
        } catch {
            let shown = Self.shown(String(decoding: location, as: UTF8.self))
            // It may contain the scheme, which may have any length.
            let reason = Excerpt.sentence(error.detail)
            throw ApusError(.redirectInvalid, "its Location '\(shown)' is invalid: \(reason)")
        }
        // Upgraded before any decision about its origin, so that no later change of the policy affects it.
        let upgraded = upgrader?.upgrade(found, request.options)
        let settled = upgraded ?? found
        try refuseDowngrade(from: base, to: settled)
        // A user name in a Location comes from the server and is ignored. The caller's stays with its origin.
        let kept = settled.origin == base.origin ? base.userInformation : nil
        let target = TargetURI(origin: settled.origin, path: settled.path, userInformation: kept)
        return (target, upgraded != nil)
    }

    private func refuseDowngrade(from base: TargetURI, to target: TargetURI) throws(ApusError) {
        // The origin that the caller has named may be upgraded again.
        let isFromSecure = base.origin.scheme == .https || isSecure && target.origin != base.origin
        guard isFromSecure, target.origin.scheme == .http, !policy.allowsDowngrade else { return }
        throw ApusError(
            .redirectInvalid,
            "it leads from https to \(Self.shown(target.uri))",
            hint: "allow that with RedirectPolicy.follow(allowsDowngrade: true)"
        )
    }

    /// The maximum number of characters shown of the server's URL.
    private static let urlLimit = 200

    /// Returns a URL from the server for use in an error.
    private static func shown(_ url: String) -> String {
        Excerpt.sentence(Redaction.url(url), limit: urlLimit)
    }
}

extension HTTPFields {
    /// Removes the fields that describe a body that is no longer sent, RFC 9110 §15.4.
    package mutating func removeContentFields() {
        let names: [HTTPField.Name] = [
            .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation, .contentDisposition,
            .contentRange, .lastModified, .transferEncoding, .trailer, .expect,
        ]
        for name in names { self[name] = nil }
        removeAll { Self.digests.contains($0.name.canonicalName) }
    }

    /// The digest fields of RFC 3230 §4.3.2, RFC 9530 §2 and §3.
    private static let digests: Set<String> = ["digest", "content-digest", "repr-digest"]
}
