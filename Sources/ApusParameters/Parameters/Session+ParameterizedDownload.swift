public import ApusCore
public import Foundation
public import HTTPTypes

extension Session {
    /// Creates a request with parameters that downloads the response body into a file, with a handle. It does not start
    /// before it is resumed or its response is awaited.
    ///
    /// ```swift
    /// let report = try await session.download(
    ///     "https://api.example.org/report",
    ///     parameters: ["year": 2026],
    ///     to: .temporary
    /// ).validate().serializingURL().value
    /// ```
    ///
    /// - Parameters:
    ///   - url: The URL of the request: a `String`, a `URL`, or your own type.
    ///   - method: The method. Default: GET.
    ///   - query: The items added to the URL's query, before those of the parameters. Default: none.
    ///   - parameters: The parameters. With `nil` nothing is encoded.
    ///   - encoder: Encodes the parameters into the request. Default: as a form, in the query for GET, HEAD and DELETE,
    ///     otherwise in the body.
    ///   - fields: The header fields. The session's fields are added to them.
    ///   - destination: The destination of the file, chosen when the response head has arrived.
    ///   - options: The options that override the session's for this request.
    ///   - modifier: Modifies the request after method and fields are set and before the parameters are encoded. Called
    ///     for each attempt. Default: `nil`.
    /// - Returns: The handle. An invalid URL and encoding errors are reported like any other failure.
    public func download<Parameters: Encodable & Sendable>(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        to destination: DownloadDestination,
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DownloadRequest {
        let request = ParameterizedRequest(
            url,
            method: method,
            query: query,
            parameters: parameters,
            encoder: encoder,
            fields: fields,
            modifier: modifier
        )
        return download(request, to: destination, options: options)
    }
}
