public import Foundation
public import HTTPTypes

/// What came of a download.
public struct DownloadedFile: Sendable {
    /// The status.
    public let status: HTTPResponse.Status
    /// The fields.
    public let fields: HTTPFields
    /// Where the content is.
    public let fileURL: URL
    /// How many bytes there are.
    public let byteCount: Int64
    /// What was measured.
    public let metrics: RequestMetrics
    /// The redirects that were followed on the way to it, in their order.
    public var history: [FollowedRedirect] { metrics.redirects }
}

extension Session {
    /// Makes a request whose answer goes into a file, with a handle: chainable, and inert until it is resumed or asked
    /// for its outcome.
    ///
    /// - Parameters:
    ///   - url: What the request is for.
    ///   - method: The method; GET by default.
    ///   - query: What is added to the URL's query; nothing by default.
    ///   - fields: The fields; the session's own are added to them.
    ///   - body: The content to send; none by default.
    ///   - destination: Where the content shall be, decided when the head of the answer is here.
    ///   - options: What this request sets otherwise than the session.
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

    /// Makes a request of a type that builds requests, whose answer goes into a file, with a handle.
    ///
    /// - Parameters:
    ///   - convertible: What builds the request; asked on the global executor when the request starts.
    ///   - destination: Where the content shall be, decided when the head of the answer is here.
    ///   - options: What this request sets otherwise than the session.
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

    /// GETs what `url` names into a file, chunk by chunk.
    ///
    /// The content goes to a temporary file beside `fileURL`, which is moved there when it is complete. Only then is an
    /// old file replaced. A failure leaves no file.
    ///
    /// - Parameters:
    ///   - url: What the request is for.
    ///   - fileURL: Where the content shall be.
    ///   - fields: The fields; the session's own are added to them.
    ///   - options: What this request sets otherwise than the session.
    ///   - progress: Told after each chunk how many bytes are here, and how many there will be where that is known.
    /// - Returns: Where the content is, and what came with it.
    /// - Throws: `ApusError`: `unacceptableStatus` if the status is not from 200 to 299, with the content that came
    ///   within `timeouts.errorBody`, up to `limits.errorBodyBytes`; `fileUnwritable`; or what any request throws.
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
            let sink = try await offLoop { () throws(ApusError) in try FileSink(at: fileURL, counters: counters) }
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
    /// The error with what is known of the answer that it is about. Where the content was not read to its end, monitors are
    /// told that error, and not of a cancellation that nobody has asked for.
    fileprivate func ended(by error: ApusError) -> ApusError {
        let failure = error.about(method: request.method, target: request.target).with(response: head)
        if case .stream(let stream) = body.storage { (stream.source as? any Roster.Lease)?.giveUp(failure) }
        return failure.with(hops: context.hops(endedBy: error))
    }
}
