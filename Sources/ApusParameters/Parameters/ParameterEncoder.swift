public import ApusCore

/// Encodes the parameters of a request into its query or its body.
///
/// It runs while the request is built: in the caller of a direct call, and on the global executor for a handle, again
/// for each attempt.
///
/// See `JSONParameterEncoder`, `URLEncodedFormParameterEncoder` and `PropertyListParameterEncoder`.
public protocol ParameterEncoder: Sendable {
    /// Encodes `parameters` into `request`.
    ///
    /// - Parameters:
    ///   - parameters: The parameters. With `nil` the request is unchanged.
    ///   - request: The request without its parameters.
    /// - Returns: The request with its parameters.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`.
    func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?,
        into request: RequestMessage
    ) throws -> RequestMessage
}

/// Modifies a request while it is created: after its method and fields are set, and before its parameters are encoded.
public typealias RequestModifier = @Sendable (inout RequestMessage) throws -> Void
