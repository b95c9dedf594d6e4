/// The keys of the notifications' `userInfo`.
public enum AFNetworkingKeys {
    /// The response body, as `Data`.
    public static let responseData = "com.alamofire.networking.complete.finish.responsedata"
    /// The object from the response serializer.
    public static let serializedResponse = "com.alamofire.networking.task.complete.serializedresponse"
    /// The response serializer.
    public static let responseSerializer = "com.alamofire.networking.task.complete.responseserializer"
    /// The location of a downloaded file, as a `URL`.
    public static let assetPath = "com.alamofire.networking.task.complete.assetpath"
    /// The error, as an `ApusError`.
    public static let error = "com.alamofire.networking.task.complete.error"
    /// The metrics of the request, as `RequestMetrics`.
    public static let metrics = "com.alamofire.networking.complete.sessiontaskmetrics"
    /// The reachability status, as an `AFNetworkReachabilityStatus`.
    public static let reachabilityStatus = "AFNetworkingReachabilityNotificationStatusItem"
}
