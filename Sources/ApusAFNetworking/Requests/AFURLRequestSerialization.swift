public import Apus

/// Adds parameters and default fields to requests.
///
/// Custom types can conform to it. Serializers with AFNetworking's fields and options conform to
/// `AFHTTPRequestSerialization`.
public protocol AFURLRequestSerialization: Sendable {
    /// Returns a request with parameters added.
    ///
    /// - Parameters:
    ///   - request: The request without parameters.
    ///   - parameters: The parameters, or `nil` for none. Their `value` is the root.
    /// - Returns: The request with its parameters.
    /// - Throws: Any error. Unless it is an `ApusError`, it is wrapped in one with the code `parameterEncodingFailed`.
    func request(
        bySerializing request: RequestMessage,
        withParameters parameters: AFParameters?
    ) throws -> RequestMessage
}

/// Encodes parameters as a percent-encoded query or form, in place of AFNetworking's rules.
public typealias QueryStringSerialization = @Sendable (RequestMessage, AFParameters) throws -> String
