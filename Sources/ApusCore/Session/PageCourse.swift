internal import ApusJSON
internal import HTTPTypes

/// The requested pages of a listing, and the rules for the next one.
struct PageCourse {
    struct Rules {
        /// The origins, besides that of the first request, that pages may be requested from.
        let otherOrigins: Set<Origin>
        let maximumCount: Int
        let crossOriginFields: RedirectPolicy.CrossOriginFields
    }

    private let first: RequestMessage
    private let rules: Rules
    /// The targets of the requested pages, before and after redirects, without user information.
    private var visited: Set<TargetURI>
    private var count = 1

    init(first: RequestMessage, rules: Rules) {
        self.first = first
        self.rules = rules
        self.visited = [Self.bare(first.target)]
    }

    /// Records the target that a page was received from.
    mutating func note(_ target: TargetURI) {
        visited.insert(Self.bare(target))
    }

    /// Returns the request of the next page, or `nil` if the page links to none.
    ///
    /// - Parameters:
    ///   - status: The status of the page.
    ///   - target: The target that the page was received from.
    ///   - links: The links of the page.
    /// - Returns: The request, which counts as made.
    /// - Throws: `ApusError` with the code `pageLinkInvalid` or `tooManyPages`.
    mutating func request(
        after status: HTTPResponse.Status,
        at target: TargetURI,
        _ links: [WebLink]
    ) throws(ApusError) -> RequestMessage? {
        guard status.kind == .successful,
            let link = links.first(where: { $0.has(relation: "next") && Self.belongs($0, to: target) })
        else { return nil }
        let next = try checked(link)
        guard count < rules.maximumCount else {
            throw ApusError(.tooManyPages, "there are more than \(count) pages; raise maximumCount to request them")
        }
        count += 1
        visited.insert(next)
        return request(at: next)
    }

    /// Returns the target of a link without user information.
    private func checked(_ link: WebLink) throws(ApusError) -> TargetURI {
        guard let target = link.target.map(Self.bare) else {
            let shown = Self.shown(Redaction.url(link.reference))
            throw ApusError(.pageLinkInvalid, "'\(shown)' is not a valid http or https URL")
        }
        guard target.origin == first.target.origin || rules.otherOrigins.contains(target.origin) else {
            let shown = Self.shown("\(target.origin)")
            let detail = "it leads to \(shown), and not to \(first.target.origin); allow that with otherOrigins"
            throw ApusError(.pageLinkInvalid, detail)
        }
        guard !visited.contains(target) else {
            let shown = Self.shown("\(target)")
            throw ApusError(.pageLinkInvalid, "it leads back to \(shown), which was already requested")
        }
        return target
    }

    /// Whether a page is requested from another origin than the first. The credentials of the request stay with that one.
    func isOfOtherOrigin(_ request: RequestMessage) -> Bool { request.target.origin != first.target.origin }

    private func request(at target: TargetURI) -> RequestMessage {
        var request = first
        let isSameOrigin = target.origin == first.target.origin
        // A user name in a link comes from the server and is ignored. The caller's stays with its origin.
        let user = isSameOrigin ? first.target.userInformation : nil
        request.target = TargetURI(origin: target.origin, path: target.path, userInformation: user)
        if request.method != .get, request.method != .head { request.method = .get }
        if !request.body.isNone {
            request.body = .none
            request.fields.removeContentFields()
        }
        if !isSameOrigin {
            request.fields.removeAll { rules.crossOriginFields.leavesBehind($0.name) }
            request.options[RequestCredential.self] = nil
            request.options.leaveOrigin()
        }
        return request
    }

    /// Whether a link belongs to the page. One with an anchor belongs to the resource that the anchor names.
    private static func belongs(_ link: WebLink, to page: TargetURI) -> Bool {
        guard let anchor = link.anchor else { return true }
        return (try? page.resolving(anchor)).map(bare) == bare(page)
    }

    private static func bare(_ target: TargetURI) -> TargetURI { TargetURI(origin: target.origin, path: target.path) }

    /// The maximum number of characters shown of the server's URL.
    private static let urlLimit = 200

    private static func shown(_ text: String) -> String { Excerpt.sentence(text, limit: urlLimit) }
}
