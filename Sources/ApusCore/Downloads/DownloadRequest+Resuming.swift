public import Foundation

/// Cancelling a download so that another one can continue it.
///
/// ```swift
/// let download = session.download("https://example.org/archive.zip", to: .file(archive))
/// let task = download.serializingURL()
/// // Later, when the user pauses:
/// if let data = await download.cancelByProducingResumeData() {
///     try data.write(to: paused)
/// }
/// // And in another run of the program:
/// let file = try await session.download(resumingWith: Data(contentsOf: paused)).serializingURL().value
/// ```
///
/// Resume data names the part of the file that has arrived, which stays on the disk until it is continued or removed.
/// It has the URL of the request, so keep it private if the query has secrets. There is none if nothing has arrived, or
/// if the server has named the version of the file by no strong validator (RFC 9110 §8.8.1): the rest of another
/// version must not follow the part of this one.
extension DownloadRequest {
    /// Data with which ``Session/download(resumingWith:fields:to:options:)`` continues this download.
    ///
    /// `nil` until the request has ended, and if the download can't be continued. A cancelled download has it if the
    /// cancellation has asked for it. A download with the option ``DownloadDestination/Options/resumePartialFile``, or
    /// one that continued another, has it after each failure.
    public var resumeData: Data? { task.download?.resumeData }

    /// Cancels the request, and may keep the part of the file that has arrived.
    ///
    /// - Parameter producesResumeData: Whether the part is kept. The property ``resumeData`` has its resume data after
    ///   the end of the request. With `false` the request is cancelled as by `cancel()`.
    /// - Returns: The request.
    @discardableResult
    public func cancel(producingResumeData producesResumeData: Bool) -> Self {
        if producesResumeData { task.download?.keepPart() }
        return cancel()
    }

    /// Cancels the request, keeps the part of the file that has arrived, and passes its resume data to a handler.
    ///
    /// - Parameter handler: Called exactly once, on no particular queue, when the request has ended. Receives `nil` if
    ///   the download can't be continued, and if it was complete before.
    /// - Returns: The request.
    @discardableResult
    public func cancel(byProducingResumeData handler: @escaping @Sendable (_ data: Data?) -> Void) -> Self {
        task.download?.keepPart(handler)
        return cancel()
    }

    /// Cancels the request, keeps the part of the file that has arrived, and returns its resume data.
    ///
    /// - Returns: The resume data. `nil` if the download can't be continued, and if it was complete before.
    @discardableResult
    public func cancelByProducingResumeData() async -> Data? {
        let outcome = Deferred<Data?>()
        cancel(byProducingResumeData: { outcome.fulfill($0) })
        return await outcome.value
    }
}
