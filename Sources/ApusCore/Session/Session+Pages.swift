public import Foundation
internal import HTTPTypes

extension Session {
    /// Returns the pages of a listing, each of which links to the next with the relation `next` of a `Link` field.
    ///
    /// ```swift
    /// var users: [User] = []
    /// for try await page in session.pages(of: "https://api.example.org/users") {
    ///     users += try page.validate().decode([User].self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL of the first page.
    ///   - query: Items to add to the URL's query, for the first page. Default: none.
    ///   - fields: The header fields, for all pages. The session's default fields are added. Default: none.
    ///   - options: Options that override the session's settings, for each page. Default: none.
    ///   - otherOrigins: The origins, besides that of `url`, that pages may be requested from. Default: none.
    ///   - maximumCount: The maximum number of pages. One more throws `tooManyPages`. Default:
    ///     `ResponsePages.defaultMaximumCount`.
    /// - Returns: The pages, which are requested while the sequence is iterated.
    public func pages(
        of url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        otherOrigins: Set<Origin> = [],
        maximumCount: Int = ResponsePages.defaultMaximumCount
    ) -> ResponsePages {
        let environment = core.environment
        return ResponsePages(
            session: self,
            build: { try environment.request(url, .get, query, fields) },
            options: options,
            otherOrigins: otherOrigins,
            maximumCount: maximumCount
        )
    }

    /// Returns the pages of a listing, each of which links to the next with the relation `next` of a `Link` field.
    ///
    /// The following pages are requested with the fields of the first request, without its body, and with GET unless
    /// its method is HEAD.
    ///
    /// - Parameters:
    ///   - request: The request of the first page, or a type that builds it.
    ///   - options: Options that override the session's settings, for each page. Default: none.
    ///   - otherOrigins: The origins, besides that of the first request, that pages may be requested from. Default:
    ///     none.
    ///   - maximumCount: The maximum number of pages. One more throws `tooManyPages`. Default:
    ///     `ResponsePages.defaultMaximumCount`.
    /// - Returns: The pages, which are requested while the sequence is iterated.
    public func pages(
        of request: some RequestConvertible,
        options: RequestOptions = .none,
        otherOrigins: Set<Origin> = [],
        maximumCount: Int = ResponsePages.defaultMaximumCount
    ) -> ResponsePages {
        let base = core.environment.baseURL
        return ResponsePages(
            session: self,
            build: { try request.asRequest(overriding: options, relativeTo: try base?.get()) },
            options: options,
            otherOrigins: otherOrigins,
            maximumCount: maximumCount
        )
    }
}
