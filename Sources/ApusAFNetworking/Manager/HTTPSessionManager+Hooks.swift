public import Apus
public import Foundation
public import HTTPTypes

/// Blocks that observe or control all tasks of a manager. Blocks that return a value may block and are called off the
/// event loop. Other blocks are called in order on a serial queue of the manager.
///
/// A block that captures its manager strongly causes a reference cycle. Capture it weakly.
///
/// AFNetworking's other blocks are not supported. Use these alternatives:
///
/// - Authentication challenges for server certificates: the security policy, or the configuration's `trust`. For user
///   names and passwords: the configuration's `credentials`, which may be a closure, or
///   `setAuthorizationHeaderField(withUsername:password:)` of the request serializer.
/// - New body streams: a body that can be read again, such as forms, files and `RequestBody.replayable`.
/// - Data tasks that become downloads: start a download instead.
/// - Background events, resumed downloads and caching decisions: the library does not support them.
extension HTTPSessionManager {
    /// Decides about a redirect, given the response head and the new request. Returns the request to send, or `nil` to
    /// use the redirect as the response.
    public typealias Redirection = @Sendable (SessionTask, HTTPResponse, RequestMessage) -> RequestMessage?

    /// Whether to continue with a response.
    public enum ResponseDisposition: Sendable, Hashable {
        /// Continues with the response.
        case allow
        /// Ends the task, as if it was cancelled.
        case cancel
    }

    /// Sets the block called when the session has shut down after its invalidation. `nil` removes it.
    public func setSessionDidBecomeInvalidBlock(_ block: (@Sendable (Session) -> Void)?) {
        core.setHook(\.sessionDidBecomeInvalid, block)
    }

    /// Sets the block that decides about redirects. With `nil`, the session's rules apply.
    ///
    /// - Parameter block: Called for each redirect that would be followed.
    public func setTaskWillPerformHTTPRedirectionBlock(_ block: Redirection?) {
        core.setHook(\.taskWillPerformHTTPRedirection, block)
    }

    /// Sets the block that receives the upload progress. `nil` removes it.
    ///
    /// - Parameter block: Receives the task, the bytes since its last call, the bytes so far, and the total, or `nil`
    ///   if unknown.
    public func setTaskDidSendBodyDataBlock(_ block: (@Sendable (SessionTask, Int64, Int64, Int64?) -> Void)?) {
        core.setHook(\.taskDidSendBodyData, block)
    }

    /// Sets the block called for each completed task, before its completion handler. `nil` removes it.
    public func setTaskDidCompleteBlock(_ block: (@Sendable (SessionTask, ApusError?) -> Void)?) {
        core.setHook(\.taskDidComplete, block)
    }

    /// Sets the block that receives the metrics of each task. `nil` removes it.
    public func setTaskDidFinishCollectingMetricsBlock(_ block: (@Sendable (SessionTask, RequestMetrics) -> Void)?) {
        core.setHook(\.taskDidFinishCollectingMetrics, block)
    }

    /// Sets the block that decides about each response collected in memory. With `nil`, all are accepted.
    ///
    /// Applies to requests that are sent after this call.
    public func setDataTaskDidReceiveResponseBlock(
        _ block: (@Sendable (SessionTask, HTTPResponse) -> ResponseDisposition)?
    ) {
        core.setHook(\.dataTaskDidReceiveResponse, block)
    }

    /// Sets the block that receives each decoded chunk of a body collected in memory. `nil` removes it.
    ///
    /// Applies to requests that are sent after this call.
    public func setDataTaskDidReceiveDataBlock(_ block: (@Sendable (SessionTask, Data) -> Void)?) {
        core.setHook(\.dataTaskDidReceiveData, block)
    }

    /// Sets the block that chooses the destination of downloads, in preference to the tasks'. `nil` removes it.
    ///
    /// Called when the response head arrives. If the file cannot be moved there, the task fails.
    ///
    /// - Parameter block: Receives the task, and a URL in the temporary folder with the file name that the response
    ///   suggests. Returns the destination, or `nil` to use that of the task.
    public func setDownloadTaskDidFinishDownloadingBlock(_ block: (@Sendable (SessionTask, URL) -> URL?)?) {
        core.setHook(\.downloadTaskDidFinishDownloading, block)
    }

    /// Sets the block that receives the progress of downloads. `nil` removes it.
    ///
    /// - Parameter block: Receives the task, the bytes since its last call, the bytes so far, and the total, or `nil`
    ///   if unknown.
    public func setDownloadTaskDidWriteDataBlock(_ block: (@Sendable (SessionTask, Int64, Int64, Int64?) -> Void)?) {
        core.setHook(\.downloadTaskDidWriteData, block)
    }
}
