package import HTTPTypes

/// Makes the request that a redirect asks for, and checks what whoever decides about it has made of that.
///
/// Other schemes than http and https need no rule here: a `TargetURI` has none. Nor do fragments: it has none either, so
/// that there is nothing for a `Location` without one to inherit.
///
/// See RFC 9110 §10.2.2, https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.2
package struct RedirectRules {
    let policy: RedirectPolicy
    /// Whether content is decoded, and each hop asks for coded content.
    let asksForCodings: Bool

    /// Whether an answer leads anywhere.
    package static func leadsOn(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
        [301, 302, 303, 307, 308].contains(status.code) && fields.contains(.location)
    }

    /// What a redirect asks for. Its content was not asked for a replay yet.
    func proposal(after response: ResponseMessage, to request: RequestMessage) throws(ApusError) -> RequestMessage {
        var redirected = request
        redirected.target = try target(of: response, from: request.target)
        let code = response.status.code
        let isReading = request.method == .get || request.method == .head
        // Only 307 and 308 ask for the same request again. Content that a GET has goes no further either.
        if code < 307, code == 303 || isReading || request.method == .post {
            if !isReading { redirected.method = .get }
            redirected.body = .none
            redirected.fields.removeContentFields()
        }
        if redirected.target.origin != request.target.origin {
            redirected.fields.removeAll { policy.crossOriginFields.leavesBehind($0.name) }
        }
        return redirected
    }

    /// What was decided, made of a proposal after a request was redirected, as it may be sent.
    func checked(
        _ decided: RequestMessage,
        _ proposal: RequestMessage,
        after request: RequestMessage
    ) throws(ApusError) -> RequestMessage {
        var checked = decided
        try refuseDowngrade(from: request.target, to: decided.target)
        if decided.target.origin != proposal.target.origin {
            // They were brought along for another origin, and nobody can tell that they are meant for this one.
            checked.fields.removeAll { field in
                policy.crossOriginFields.leavesBehind(field.name)
                    && proposal.fields[fields: field.name].contains { $0.value == field.value }
            }
        }
        checkCodings(of: &checked, proposal)
        // The user name of a proposal is in its fields already; one that is new here is meant for this hop.
        if let user = decided.target.userInformation, user != proposal.target.userInformation,
            decided.fields[.authorization] == proposal.fields[.authorization]
        {
            checked.fields[.authorization] = nil
            checked.fields.append(try .authorization(username: user.user, password: user.password))
        }
        checked.body = try decided.body.replayed(for: "the redirect to \(Self.shown(decided.target.uri))")
        return checked
    }

    /// A handler may have made its request anew, without the codings that each hop asks for. It may also ask for a range,
    /// whose bytes are those of the content and not of a coding.
    private func checkCodings(of request: inout RequestMessage, _ proposal: RequestMessage) {
        let supported = HTTPField.supportedCodings
        guard asksForCodings else { return }
        if request.fields.asksForNoCoding {
            request.fields.append(supported)
        } else if request.fields.contains(.range), !proposal.fields.contains(.range),
            request.fields[.acceptEncoding] == supported.value
        {
            request.fields[.acceptEncoding] = nil
        }
    }

    private func target(of response: ResponseMessage, from base: TargetURI) throws(ApusError) -> TargetURI {
        let locations = Set(response.fields[fields: .location].map { $0.withUnsafeBytesOfValue { Array($0) } })
        guard locations.count == 1, let location = locations.first else {
            throw ApusError(.redirectInvalid, "it has \(locations.count) different Locations, and could lead to any")
        }
        let found: TargetURI
        do throws(ApusError) {
            found = try base.resolving(octets: location)
        } catch {
            let shown = Self.shown(String(decoding: location, as: UTF8.self))
            // It may name the scheme, of whatever length.
            let reason = Excerpt.sentence(error.detail)
            throw ApusError(.redirectInvalid, "its Location is '\(shown)', and \(reason)")
        }
        try refuseDowngrade(from: base, to: found)
        // A user name in a Location is the peer's, not the user's; the user's own stay with their origin.
        let kept = found.origin == base.origin ? base.userInformation : nil
        return TargetURI(origin: found.origin, path: found.path, userInformation: kept)
    }

    private func refuseDowngrade(from base: TargetURI, to target: TargetURI) throws(ApusError) {
        guard base.origin.scheme == .https, target.origin.scheme == .http, !policy.allowsDowngrade else { return }
        throw ApusError(
            .redirectInvalid,
            "it leads from https to \(Self.shown(target.uri)); allow that with RedirectPolicy.follow(allowsDowngrade: true)"
        )
    }

    /// How many characters of a URL of the server's are shown.
    private static let urlLimit = 200

    /// A URL of the server's in an error.
    private static func shown(_ url: String) -> String {
        Excerpt.sentence(Redaction.url(url), limit: urlLimit)
    }
}

extension HTTPFields {
    /// Takes out what describes a content that is no longer sent, RFC 9110 §15.4.
    fileprivate mutating func removeContentFields() {
        let names: [HTTPField.Name] = [
            .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation, .contentDisposition,
            .contentRange, .lastModified, .transferEncoding, .trailer, .expect,
        ]
        for name in names { self[name] = nil }
        removeAll { Self.digests.contains($0.name.canonicalName) }
    }

    /// RFC 3230 §4.3.2, RFC 9530 §2 and §3.
    private static let digests: Set<String> = ["digest", "content-digest", "repr-digest"]
}
