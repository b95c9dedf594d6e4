public import Apus

/// Encodes parameters in the query of GET, HEAD and DELETE requests, and as a form in the body of others.
///
/// ```swift
/// var serializer = AFHTTPRequestSerializer()
/// try serializer.setValue("blue", forHTTPHeaderField: "X-Request-Tag")
/// let request = try serializer.request(
///     withMethod: .post,
///     urlString: "https://api.example.org/users",
///     parameters: ["name": "Ada"]
/// )
/// ```
///
/// Without parameters the body is set but empty. A request's own field takes precedence over the serializer's.
public struct AFHTTPRequestSerializer: AFHTTPRequestSerialization {
    public var settings = AFHTTPRequestSettings()

    /// Creates a serializer with the default settings.
    public init() {}

    public func request(
        bySerializing request: RequestMessage,
        withParameters parameters: AFParameters?
    ) throws -> RequestMessage {
        try serializingAsForm(request, parameters)
    }
}
