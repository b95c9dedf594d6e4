public import Apus

/// Puts parameters into the query of a GET, HEAD or DELETE, and as a form into the content of others.
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
/// A content is there even without parameters, with nothing in it. A field that the request has beats the serializer's.
public struct AFHTTPRequestSerializer: AFHTTPRequestSerialization {
    public var settings = AFHTTPRequestSettings()

    /// Makes a serializer with all defaults.
    public init() {}

    public func request(
        bySerializing request: RequestMessage,
        withParameters parameters: Parameters?
    ) throws -> RequestMessage {
        try serializingAsForm(request, parameters)
    }
}
