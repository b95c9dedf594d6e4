public import Foundation

/// Notifications of session managers, with AFNetworking's names. They are posted on the main thread.
// The names are AFNetworking's, as its users know them.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension Notification.Name {
    /// A task was started or resumed. The object is the task.
    public static let AFNetworkingTaskDidResume = Notification.Name("com.alamofire.networking.task.resume")
    /// A task was suspended. The object is the task.
    public static let AFNetworkingTaskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")
    /// A task is complete, and its completion handler was called. The object is the task.
    public static let AFNetworkingTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
    /// A manager's session has shut down after it was invalidated. The object is the manager's `session`.
    public static let AFURLSessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")
    /// The file of a download was moved to its destination. The object is the task.
    public static let AFURLSessionDownloadTaskDidMoveFileSuccessfully = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-succeed"
    )
    /// The file of a download could not be created, written or moved, which is also the error of the task. The object
    /// is the task, and `AFNetworkingKeys.error` contains the error.
    public static let AFURLSessionDownloadTaskDidFailToMoveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-error"
    )
    /// The reachability status has changed. Also posted when monitoring starts. The object is the
    /// `AFNetworkReachabilityManager`.
    public static let AFNetworkingReachabilityDidChange = Notification.Name(
        "com.alamofire.networking.reachability.change"
    )
}
