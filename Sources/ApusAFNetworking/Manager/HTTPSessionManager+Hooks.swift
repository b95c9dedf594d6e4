public import Apus
public import Foundation
public import HTTPTypes

/// Blocks that are asked or told about all tasks of a manager. What answers something may block and is called off the
/// event loop; what is only told is called on a serial queue of the manager's, in order.
///
/// A block that holds its manager keeps it for ever: capture it weakly.
///
/// AFNetworking's other blocks have no place here, and something else does their work:
///
/// - Authentication challenges of a server's certificate: the security policy, or the configuration's `trust`. Those for
///   a user name and password: the configuration's `credentials`, which may be a closure that is asked about each; or
///   `setAuthorizationHeaderField(withUsername:password:)` of the request serializer.
/// - A new body stream: a content that can be read again, as forms, files and `RequestBody.replayable` can.
/// - A data task that becomes a download: a download to begin with.
/// - Background events, a download that goes on where it was, and what is to be cached: the library does none of that.
nonisolated extension HTTPSessionManager {
    /// Told of a redirect, given its head and the request that would follow; returns what goes out, or `nil` where the
    /// redirect is to be the answer.
    public typealias Redirection = @Sendable (SessionTask, HTTPResponse, RequestMessage) -> RequestMessage?

    /// Whether an answer is wanted.
    public enum ResponseDisposition: Sendable, Hashable {
        /// It is.
        case allow
        /// It is not: the task ends as if it had been cancelled.
        case cancel
    }

    /// Sets what is told when the session has ended after it was invalidated; `nil` for nothing.
    public func setSessionDidBecomeInvalidBlock(_ block: (@Sendable (Session) -> Void)?) {
        core.setHook(\.sessionDidBecomeInvalid, block)
    }

    /// Sets what is asked about redirects; with `nil` they are followed as the session says.
    ///
    /// - Parameter block: Asked for each redirect that would be followed.
    public func setTaskWillPerformHTTPRedirectionBlock(_ block: Redirection?) {
        core.setHook(\.taskWillPerformHTTPRedirection, block)
    }

    /// Sets what is told how much of a request's content was sent; `nil` for nothing.
    ///
    /// - Parameter block: Given the task, the bytes since it was last told, those so far, and those in all, `nil` where
    ///   they are not known.
    public func setTaskDidSendBodyDataBlock(_ block: (@Sendable (SessionTask, Int64, Int64, Int64?) -> Void)?) {
        core.setHook(\.taskDidSendBodyData, block)
    }

    /// Sets what is told of each task that is over, before its completion handler; `nil` for nothing.
    public func setTaskDidCompleteBlock(_ block: (@Sendable (SessionTask, ApusError?) -> Void)?) {
        core.setHook(\.taskDidComplete, block)
    }

    /// Sets what is told of what was measured of each task; `nil` for nothing.
    public func setTaskDidFinishCollectingMetricsBlock(_ block: (@Sendable (SessionTask, RequestMetrics) -> Void)?) {
        core.setHook(\.taskDidFinishCollectingMetrics, block)
    }

    /// Sets what is asked about the head of each answer that is collected in memory; with `nil` all are wanted.
    ///
    /// It counts for tasks that begin from now on.
    public func setDataTaskDidReceiveResponseBlock(
        _ block: (@Sendable (SessionTask, HTTPResponse) -> ResponseDisposition)?
    ) {
        core.setHook(\.dataTaskDidReceiveResponse, block)
    }

    /// Sets what is told of each piece of a content that is collected in memory, decoded; `nil` for nothing.
    ///
    /// It counts for tasks that begin from now on.
    public func setDataTaskDidReceiveDataBlock(_ block: (@Sendable (SessionTask, Data) -> Void)?) {
        core.setHook(\.dataTaskDidReceiveData, block)
    }

    /// Sets what says where the files of downloads shall be, ahead of what the tasks say; `nil` for nothing.
    ///
    /// It is asked when the head of the answer is here. A file that can't be put in its place is the task's error.
    ///
    /// - Parameter block: Given the task, and a place in the folder for temporary files whose last component is the name
    ///   that the answer suggests; `nil` leaves it to the task.
    public func setDownloadTaskDidFinishDownloadingBlock(_ block: (@Sendable (SessionTask, URL) -> URL?)?) {
        core.setHook(\.downloadTaskDidFinishDownloading, block)
    }

    /// Sets what is told how much of a download is here; `nil` for nothing.
    ///
    /// - Parameter block: Given the task, the bytes since it was last told, those so far, and those in all, `nil` where
    ///   they are not known.
    public func setDownloadTaskDidWriteDataBlock(_ block: (@Sendable (SessionTask, Int64, Int64, Int64?) -> Void)?) {
        core.setHook(\.downloadTaskDidWriteData, block)
    }
}
