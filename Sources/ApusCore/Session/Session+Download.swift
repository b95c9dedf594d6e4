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
    ///   - fields: The header fields. The session's default fields are added.
    ///   - body: The request body. Default: none.
    ///   - destination: The destination of the file, chosen when the response head has arrived.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The handle.
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
    /// an old file replaced, if the options allow that. A failure leaves no file.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - fileURL: The destination of the file.
    ///   - fileOptions: Options for moving the file there. Without them, an existing file and a missing folder are
    ///     errors. Default: none.
    ///   - fields: The header fields. The session's default fields are added.
    ///   - options: Options that override the session's settings for this request.
    ///   - progress: Called after each chunk, and at the end of a body that is empty or had no known length. Default:
    ///     `nil`.
    /// - Returns: The downloaded file, with the response head and the metrics.
    /// - Throws: `ApusError`: `unacceptableStatus` if the status is not from 200 to 299, unless a `ResponseValidation`
    ///   accepts it. The error has the body received within `timeouts.errorBody`, up to `limits.errorBodyBytes`.
    ///   `fileUnwritable`, or any error of a request.
    public func download(
        _ url: some URLConvertible,
        to fileURL: URL,
        fileOptions: DownloadDestination.Options = [],
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        progress: (@Sendable (_ progress: TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> DownloadedFile {
        let response = try await stream(url, fields: fields, options: options)
        let isChecked = core.validation(for: response.request.options).checksStatus
        if !isChecked, let refusal = Validator.refusal(of: response.status, outside: 200..<300) {
            let data = await core.beginning(of: response.body, for: response.request.options)
            throw response.ended(by: refusal).with(response: nil, data: data)
        }
        do throws(ApusError) {
            let counters = core.environment.counters
            let sink = try await offEventLoop { () throws(ApusError) in
                try FileSink(
                    at: fileURL,
                    replaces: fileOptions.contains(.removePreviousFile),
                    makesFolders: fileOptions.contains(.createIntermediateDirectories),
                    counters: counters
                )
            }
            let total = response.expectedLength
            let time = core.environment.time
            var meter = TransferMeter()
            let byteCount = try await sink.write(
                response.body,
                progress: { progress?(meter.progress(after: $0, of: total, at: time.now)) }
            )
            if byteCount == 0 || byteCount != total {
                progress?(meter.progress(after: byteCount, of: byteCount, at: time.now))
            }
            return DownloadedFile(
                status: response.status,
                fields: response.fields,
                target: response.target,
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
