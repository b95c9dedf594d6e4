public import Foundation
public import HTTPTypes

/// The result of a download.
public struct DownloadedFile: Sendable {
    /// The status.
    public let status: HTTPResponse.Status
    /// The status as a number.
    public var statusCode: Int { status.code }
    /// The header fields.
    public let fields: HTTPFields
    /// The target of the response: after redirects, the last one.
    public let target: TargetURI
    /// The URL of the downloaded file.
    public let fileURL: URL
    /// The size of the file in bytes.
    public let byteCount: Int64
    /// The metrics of the request.
    public let metrics: RequestMetrics
    /// The redirects that were followed to the response, in their order.
    public var redirects: [FollowedRedirect] { metrics.redirects }
}

extension Session {
    /// Creates a request handle that downloads the response body into a file. The handle is chainable and does nothing
    /// until it is started.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method. Default: GET.
    ///   - query: Items to add to the URL's query. Default: none.
    ///   - fields: The header fields. The session's default fields are added. Default: none.
    ///   - body: The request body. Default: none.
    ///   - destination: The destination of the file, chosen when the response head has arrived.
    ///   - options: Options that override the session's settings for this request. Default: none.
    /// - Returns: The handle. ``DownloadRequest`` describes its errors.
    public func download(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        to destination: DownloadDestination,
        options: RequestOptions = .none
    ) -> DownloadRequest {
        let source = source(url, method, query, fields, body)
        return DownloadRequest(
            task: RequestTask(core: core, source: source, options: options, download: PartialDownload(to: destination))
        )
    }

    /// Creates a request handle that downloads the response body into a file, from a type that builds requests.
    ///
    /// - Parameters:
    ///   - convertible: Builds the request. Called on the global executor when the request starts.
    ///   - destination: The destination of the file, chosen when the response head has arrived.
    ///   - options: Options that override the session's settings for this request. Default: none.
    /// - Returns: The handle. ``DownloadRequest`` describes its errors.
    public func download(
        _ convertible: some RequestConvertible,
        to destination: DownloadDestination,
        options: RequestOptions = .none
    ) -> DownloadRequest {
        let source = Self.source(convertible)
        return DownloadRequest(
            task: RequestTask(core: core, source: source, options: options, download: PartialDownload(to: destination))
        )
    }

    /// Sends a GET request and writes the response body into a file, chunk by chunk.
    ///
    /// The body is written to a temporary file beside `fileURL`, which is moved there when it is complete. Only then is
    /// an old file replaced, if the options allow that. A failure leaves no file but the part of `.resumePartialFile`.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - fileURL: The destination of the file.
    ///   - fileOptions: Options for moving the file there. Without them, an existing file and a missing folder are
    ///     errors. Default: none.
    ///   - fields: The header fields. The session's default fields are added. Default: none.
    ///   - options: Options that override the session's settings for this request. Default: none.
    ///   - progress: Called after each chunk, and at the end of a body that is empty or had no known length, on no
    ///     particular queue. For a compressed body it is called whenever more of the received bytes were decoded. It
    ///     must not block. Default: `nil`.
    /// - Returns: The downloaded file, with the response head and the metrics.
    /// - Throws: `ApusError`: `unacceptableStatus` if the status is not from 200 to 299, unless a `ResponseValidation`
    ///   accepts it. The error has the body received within `timeouts.errorBody`, up to `limits.errorBodyBytes`.
    ///   `fileUnwritable`, `fileExists` if there is a file already that may not be replaced, `fileInUse` if another
    ///   download uses the part, `digestMismatch`, or any error of a request.
    ///
    /// ## Cancellation
    /// Cancelling the task cancels the request, and throws `cancelled`. The part of `.resumePartialFile` stays.
    public func download(
        _ url: some URLConvertible,
        to fileURL: URL,
        fileOptions: DownloadDestination.Options = [],
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        progress: (@Sendable (_ progress: TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> DownloadedFile {
        let destination = DownloadDestination.file(fileURL, options: fileOptions)
        let request = download(url, fields: fields, to: destination, options: options)
        if let progress { request.task.observe(.download, progress) }
        let response = await request.serializingURL().response
        let file = try response.result.get()
        guard let head = response.response, let target = response.target else {
            throw ApusError(.downloadedFileUnreadable, "its response is missing")
        }
        return DownloadedFile(
            status: head.status,
            fields: head.headerFields,
            target: target,
            fileURL: file,
            byteCount: response.byteCount ?? 0,
            metrics: response.metrics
        )
    }
}

// Without this, reflection would print fields, bodies and query values, which may hold secrets.
extension DownloadedFile: CustomStringConvertible {
    /// Status, path and length.
    public var description: String { "\(status.code) \(fileURL.path) (\(byteCount) bytes)" }
}
