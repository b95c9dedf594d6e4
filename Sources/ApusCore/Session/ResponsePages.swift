/// The pages of a listing: responses that each link to the next with the relation `next` of a `Link` field.
///
/// A page is requested when the iteration asks for it, so a loop that ends early requests no further page. Each page is
/// a request of its own: adapters, retriers, redirects and the request's deadline apply to each.
///
/// A page may have any status, as for ``Session/send(_:options:)``. The links of a page with a status outside 200 to
/// 299 are not followed, so it is the last. A link with an `anchor` belongs to another resource, and is not followed
/// either.
///
/// A link comes from the server, and the session adds its credentials to each request. So pages are requested only from
/// the origin of the first request, and from origins that the caller allows. A link to another origin, or from https to
/// http, throws `pageLinkInvalid`. The request for a page of an allowed other origin has no fields that a redirect
/// to it would not have (see ``RedirectPolicy/CrossOriginFields``).
///
/// A link to a page that was already requested throws `pageLinkInvalid`, since it would never end. Iterating over the
/// sequence a second time requests all pages again.
///
/// ## Cancellation
/// Cancelling the iterating task cancels the request of the current page.
///
/// See RFC 8288, https://www.rfc-editor.org/rfc/rfc8288.html
public struct ResponsePages: AsyncSequence, Sendable {
    public typealias Element = Response
    public typealias Failure = ApusError

    /// The maximum number of pages, unless another is given: 1000.
    public static let defaultMaximumCount = 1000

    let session: Session
    let build: @Sendable () throws -> RequestMessage
    let options: RequestOptions
    let otherOrigins: Set<Origin>
    let maximumCount: Int

    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// Requests the pages one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let pages: ResponsePages
        private var course: PageCourse?
        private var latest: Response?
        private var isOver = false

        init(pages: ResponsePages) {
            self.pages = pages
        }

        /// Requests the next page.
        ///
        /// - Returns: The page, with any status, or `nil` after the last.
        /// - Throws: `ApusError`: `pageLinkInvalid` or `tooManyPages` with the page whose link was not followed, or an
        ///   error of the request. No page follows an error.
        public mutating func next() async throws(ApusError) -> Response? {
            guard !isOver else { return nil }
            // An error is final, as is the end.
            isOver = true
            guard let request = try nextRequest() else { return nil }
            var options = pages.options
            if course?.isOfOtherOrigin(request) == true { options[RequestCredential.self] = nil }
            let page = try await pages.session.send(request, options: options)
            course?.note(page.target)
            latest = page
            isOver = false
            return page
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ApusError) -> Response? {
            try await next()
        }

        private mutating func nextRequest() throws(ApusError) -> RequestMessage? {
            guard let page = latest else {
                var request = try Session.build(pages.build)
                // The origin of the pages is the one that they are sent to.
                let options = request.overriding(pages.options).options
                request.target = pages.session.core.chain.settled(request.target, options)
                course = PageCourse(first: request, rules: pages.rules)
                return request
            }
            latest = nil
            do throws(ApusError) {
                return try course?.request(after: page.status, at: page.target, page.links)
            } catch {
                throw page.about(error)
            }
        }
    }

    private var rules: PageCourse.Rules {
        let policy = options[RedirectPolicy.self] ?? session.configuration.redirects
        return PageCourse.Rules(
            otherOrigins: otherOrigins,
            maximumCount: maximumCount,
            crossOriginFields: policy.crossOriginFields
        )
    }
}
