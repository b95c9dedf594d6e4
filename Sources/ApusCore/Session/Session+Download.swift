public import Foundation
public import HTTPTypes

/// The result of a download.
public struct DownloadedFile: Sendable {
    /// The status.
    public let status: HTTPResponse.Status
    /// The header fields.
    public let fields: HTTPFields
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
    ///   - fields: The header fields. The session's default fields are added.
    ///   - body: The request body. Default: none.
    ///   - destination: The destination of the file, chosen when the response head has arrived.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The handle.
    public func download(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        to destination: DownloadDestination,
        options: RequestOptions = .none
    ) -> DownloadRequest {
        let source = Self.source(url, method, query, fields, body)
        return DownloadRequest(
            task: RequestTask(core: core, source: source, options: options, destination: destination)
        )
    }

    /// Creates a request handle that downloads the response body into a file, from a type that builds requests.
    ///
    /// - Parameters:
    ///   - convertible: Builds the request. Called on the global executor when the request starts.
    ///   - destination: The destination of the file, chosen when the response head has arrived.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The handle.
    public func download(
        _ convertible: some RequestConvertible,
        to destination: DownloadDestination,
        options: RequestOptions = .none
    ) -> DownloadRequest {
        let source = Self.source(convertible)
        return DownloadRequest(
            task: RequestTask(core: core, source: source, options: options, destination: destination)
        )
    }

    /// Sends a GET request and writes the response body into a file, chunk by chunk.
    ///
    /// The body is written to a temporary file beside `fileURL`, which is moved there when it is complete. Only then is
    /// an old file replaced. A failure leaves no file.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - fileURL: The destination of the file.
    ///   - fields: The header fields. The session's default fields are added.
    ///   - options: Options that override the session's settings for this request.
    ///   - progress: Called after each chunk with the bytes so far and in total. The total is `nil` if it is unknown.
    /// - Returns: The downloaded file, with the response head and the metrics.
    /// - Throws: `ApusError`: `unacceptableStatus` if the status is not from 200 to 299, with the body received within
    ///   `timeouts.errorBody`, up to `limits.errorBodyBytes`. `fileUnwritable`, or any error of a request.
    public func download(
        _ url: some URLConvertible,
        to fileURL: URL,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws(ApusError) -> DownloadedFile {
        let response = try await stream(url, fields: fields, options: options)
        guard (200...299).contains(response.status.code) else {
            let data = await core.beginning(of: response.body, for: response.context)
            let refusal = ApusError(.unacceptableStatus, "the status is \(response.status.code)")
            throw response.ended(by: refusal).with(response: nil, data: data)
        }
        do throws(ApusError) {
            let counters = core.environment.counters
            let sink = try await offEventLoop { () throws(ApusError) in try FileSink(at: fileURL, counters: counters) }
            let total = response.expectedLength
            let byteCount = try await sink.write(response.body, progress: { progress?($0, total) })
            return DownloadedFile(
                status: response.status,
                fields: response.fields,
                fileURL: fileURL,
                byteCount: byteCount,
                metrics: response.metrics
            )
        } catch {
            throw response.ended(by: error)
        }
    }
}

extension StreamedResponse {
    /// Returns the error with the details of this response. If the body was not read to its end, monitors receive that
    /// error, and not that of a cancellation that the user did not request.
    fileprivate func ended(by error: ApusError) -> ApusError {
        let failure = error.about(method: request.method, target: request.target).with(response: head)
        if case .stream(let stream) = body.storage { (stream.source as? any RequestLimiter.SlotHolder)?.fail(failure) }
        return failure.with(exchanges: context.exchanges(endedBy: error))
    }
}

// Without this, reflection would print fields, bodies and query values, which may hold secrets.
extension DownloadedFile: CustomStringConvertible {
    /// Status, path and length.
    public var description: String { "\(status.code) \(fileURL.path) (\(byteCount) bytes)" }
}
