public import Foundation

/// What a session manager tells everybody, AFNetworking's notifications; their object is the task.
extension Notification.Name {
    /// A task was started, or goes on.
    public static let AFNetworkingTaskDidResume = Notification.Name("com.alamofire.networking.task.resume")
    /// A task is held back.
    public static let AFNetworkingTaskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")
    /// A task is over, and its answer was serialized.
    public static let AFNetworkingTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
    /// A session manager was invalidated; the object is the manager.
    public static let AFURLSessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")
}
