internal import Apus
internal import Foundation
internal import HTTPTypes

/// The blocks of a manager that observe or control all of its tasks.
struct ManagerHooks: Sendable {
    var sessionDidBecomeInvalid: (@Sendable (Session) -> Void)?
    var taskWillPerformHTTPRedirection: HTTPSessionManager.Redirection?
    var taskDidSendBodyData: (@Sendable (SessionTask, Int64, Int64, Int64?) -> Void)?
    var taskDidComplete: (@Sendable (SessionTask, ApusError?) -> Void)?
    var taskDidFinishCollectingMetrics: (@Sendable (SessionTask, RequestMetrics) -> Void)?
    var dataTaskDidReceiveResponse: (@Sendable (SessionTask, HTTPResponse) -> HTTPSessionManager.ResponseDisposition)?
    var dataTaskDidReceiveData: (@Sendable (SessionTask, Data) -> Void)?
    var downloadTaskDidFinishDownloading: (@Sendable (SessionTask, URL) -> URL?)?
    var downloadTaskDidWriteData: (@Sendable (SessionTask, Int64, Int64, Int64?) -> Void)?

    /// Whether responses must be inspected in the middleware chain.
    var observesResponses: Bool { dataTaskDidReceiveResponse != nil || dataTaskDidReceiveData != nil }
}
