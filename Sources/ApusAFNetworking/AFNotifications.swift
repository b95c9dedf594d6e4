public import Foundation

/// What a session manager tells everybody, under AFNetworking's names. They are posted on the main thread.
// The names are AFNetworking's, as its users know them.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension Notification.Name {
    /// A task was started, or goes on; the object is the task.
    public static let AFNetworkingTaskDidResume = Notification.Name("com.alamofire.networking.task.resume")
    /// A task is held back; the object is the task.
    public static let AFNetworkingTaskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")
    /// A task is over, its answer was serialized and its completion handler called; the object is the task.
    public static let AFNetworkingTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
    /// A manager's session has ended after it was invalidated; the object is the manager's `session`.
    public static let AFURLSessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")
    /// The file of a download is in its place; the object is the task.
    public static let AFURLSessionDownloadTaskDidMoveFileSuccessfully = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-succeed"
    )
    /// The file of a download could not be made, written or put in its place, which is the task's error as well; the
    /// object is the task, and `AFNetworkingKeys.error` has the error.
    public static let AFURLSessionDownloadTaskDidFailToMoveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-error"
    )
    /// The network can be reached in another way than before, or no longer; also posted when somebody begins to look. The
    /// object is the `AFNetworkReachabilityManager`.
    public static let AFNetworkingReachabilityDidChange = Notification.Name(
        "com.alamofire.networking.reachability.change"
    )
}

/// The names of what stands in the `userInfo` of the notifications.
public enum AFNetworkingKeys {
    /// The content of the answer, as `Data`.
    public static let responseData = "com.alamofire.networking.complete.finish.responsedata"
    /// What the response serializer made of it.
    public static let serializedResponse = "com.alamofire.networking.task.complete.serializedresponse"
    /// The response serializer.
    public static let responseSerializer = "com.alamofire.networking.task.complete.responseserializer"
    /// Where a download is, as a `URL`.
    public static let assetPath = "com.alamofire.networking.task.complete.assetpath"
    /// Why it failed, as an `ApusError`.
    public static let error = "com.alamofire.networking.task.complete.error"
    /// What was measured, as `RequestMetrics`.
    public static let metrics = "com.alamofire.networking.complete.sessiontaskmetrics"
    /// How the network can be reached, as an `AFNetworkReachabilityStatus`.
    public static let reachabilityStatus = "AFNetworkingReachabilityNotificationStatusItem"
}
