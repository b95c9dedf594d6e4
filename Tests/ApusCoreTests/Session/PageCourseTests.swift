internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct PageCourseTests {
    /// A course of pages with `Link` fields.
    private final class Listing {
        private var course: PageCourse

        init(_ course: PageCourse) { self.course = course }

        func note(_ url: String) throws { course.note(try TargetURI(url)) }

        /// Returns the request after a page.
        func next(
            after link: String?,
            status: HTTPResponse.Status = .ok,
            at url: String = "https://h/items"
        ) throws -> RequestMessage? {
            let target = try TargetURI(url)
            var fields: HTTPFields = [:]
            fields[.link] = link
            return try course.request(after: status, at: target, fields.links(relativeTo: target))
        }

        /// Returns the error of the request after a page.
        func error(after link: String, at url: String = "https://h/items") -> ApusError? {
            #expect(throws: ApusError.self) { try next(after: link, at: url) }
        }
    }

    private func makeListing(
        of url: String = "https://h/items",
        method: HTTPRequest.Method = .get,
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        otherOrigins: Set<Origin> = [],
        maximumCount: Int = 10,
        crossOriginFields: RedirectPolicy.CrossOriginFields = .withoutSecrets
    ) throws -> Listing {
        let course = PageCourse(
            first: try RequestMessage(url, method: method, fields: RequestFields(fields), body: body),
            rules: PageCourse.Rules(
                otherOrigins: otherOrigins,
                maximumCount: maximumCount,
                crossOriginFields: crossOriginFields
            )
        )
        return Listing(course)
    }

    private let other = Origin(scheme: .https, host: "i")

    @Test func followsTheRelationNext() throws {
        let listing = try makeListing()
        let link = "</first>; rel=first, </items?page=2>; rel=\"prefetch NEXT\", </items?page=3>; rel=next"
        #expect(try listing.next(after: link)?.target.uri == "https://h/items?page=2")
        #expect(try listing.next(after: "<3>; rel=next", at: "https://h/a/2")?.target.uri == "https://h/a/3")
    }

    @Test func endsWithoutANextPage() throws {
        let listing = try makeListing()
        #expect(try listing.next(after: nil) == nil)
        #expect(try listing.next(after: "<2>; rel=prev, <3>; rev=next, <4>") == nil)
    }

    @Test(arguments: [300, 304, 404, 500]) func endsWithAnUnsuccessfulPage(code: Int) throws {
        let listing = try makeListing()
        #expect(try listing.next(after: "<2>; rel=next", status: .init(code: code)) == nil)
        #expect(try listing.next(after: "<2>; rel=next", status: .init(code: 206)) != nil)
    }

    @Test func ignoresLinksOfOtherResources() throws {
        let listing = try makeListing()
        #expect(try listing.next(after: "<2>; rel=next; anchor=\"/b\"") == nil)
        #expect(try listing.next(after: "<2>; rel=next; anchor=\"/items\"") != nil)
        #expect(try listing.next(after: "<3>; rel=next; anchor=\"\"") != nil)
    }

    // MARK: The request

    @Test func keepsTheFieldsOfTheFirstRequest() throws {
        let fields: HTTPFields = [.authorization: "Basic x", .accept: "b/c"]
        let listing = try makeListing(of: "https://ada:sesame@h/items?q=a", fields: fields)
        let next = try #require(try listing.next(after: "<https://eve:x@h/items?page=2>; rel=next"))
        #expect(next.fields == fields)
        #expect(next.target.path == "/items?page=2")
        #expect(next.target.userInformation?.user == "ada")
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, HTTPRequest.Method.get), (.head, .head), (.post, .get), (.query, .get),
    ]) func hasNoBody(method: HTTPRequest.Method, expected: HTTPRequest.Method) throws {
        let fields: HTTPFields = [.contentType: "text/plain", .accept: "b/c"]
        let listing = try makeListing(method: method, fields: fields, body: .string("a"))
        let next = try #require(try listing.next(after: "<2>; rel=next"))
        #expect(next.method == expected)
        #expect(next.body.isNone)
        #expect(next.fields == [.accept: "b/c"])
    }

    @Test func leavesSecretsBehindAtAnotherOrigin() throws {
        let fields: HTTPFields = [.authorization: "x", .cookie: "a=b", .accept: "b/c", .from: "d"]
        let listing = try makeListing(of: "https://ada:sesame@h/items", fields: fields, otherOrigins: [other])
        let next = try #require(try listing.next(after: "<https://i/2>; rel=next"))
        #expect(next.target.origin == other)
        #expect(next.target.userInformation == nil)
        #expect(next.fields == [.accept: "b/c", .from: "d"])
        let back = try #require(try listing.next(after: "<https://h/3>; rel=next", at: "https://i/2"))
        #expect(back.fields == fields)
        #expect(back.target.userInformation?.user == "ada")
    }

    @Test func followsThePolicyForFields() throws {
        let listing = try makeListing(fields: [.from: "d"], otherOrigins: [other], crossOriginFields: .safelist)
        #expect(try listing.next(after: "<https://i/2>; rel=next")?.fields.isEmpty == true)
    }

    // MARK: Refusals

    @Test(arguments: ["https://i/2", "http://h/2", "https://h:444/2", "//i/2"])
    func refusesAnotherOrigin(reference: String) throws {
        let listing = try makeListing()
        let error = listing.error(after: "<\(reference)>; rel=next")
        #expect(error?.code == .pageLinkInvalid)
        #expect(error?.detail.hasSuffix("and not to https://h; allow that with otherOrigins") == true)
    }

    @Test func refusesTheOriginThatARedirectLedTo() throws {
        let listing = try makeListing()
        try listing.note("https://i/items")
        let error = listing.error(after: "<2>; rel=next", at: "https://i/items")
        #expect(error?.detail == "it leads to https://i, and not to https://h; allow that with otherOrigins")
    }

    @Test(arguments: ["mailto:a@b", "http://", "https://h:x/?token=sesame"])
    func refusesATargetThatCannotBeRequested(reference: String) throws {
        let listing = try makeListing()
        let error = listing.error(after: "<\(reference)>; rel=next")
        #expect(error?.code == .pageLinkInvalid)
        #expect(error?.detail.hasSuffix("is not a valid http or https URL") == true)
        #expect(error?.detail.contains("sesame") == false)
    }

    @Test func refusesALoop() throws {
        let listing = try makeListing()
        try listing.note("https://h/items?page=1")
        #expect(listing.error(after: "</items#top>; rel=next")?.code == .pageLinkInvalid)
        #expect(listing.error(after: "<>; rel=next")?.code == .pageLinkInvalid)
        #expect(listing.error(after: "<?page=1>; rel=next")?.code == .pageLinkInvalid)
        #expect(try listing.next(after: "<?page=2>; rel=next") != nil)
        let error = listing.error(after: "<?page=2>; rel=next")
        #expect(error?.detail == "it leads back to https://h/items?page=…, which was already requested")
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (3, 3)])
    func limitsTheNumberOfPages(maximum: Int, pages: Int) throws {
        let listing = try makeListing(maximumCount: maximum)
        for page in 1..<max(pages, 1) {
            #expect(try listing.next(after: "<?page=\(page)>; rel=next") != nil)
        }
        let error = listing.error(after: "<?page=0>; rel=next")
        #expect(error?.code == .tooManyPages)
        #expect(error?.detail == "there are more than \(pages) pages; raise maximumCount to request them")
    }
}
