public import ApusCore

/// Puts the parameters of a request where they belong: into its query, or into its content.
///
/// See `JSONParameterEncoder`, `URLEncodedFormParameterEncoder` and `PropertyListParameterEncoder`.
public protocol ParameterEncoder: Sendable {
    /// Puts `parameters` into `request`.
    ///
    /// - Parameters:
    ///   - parameters: What is to be sent; with `nil` the request stays as it is.
    ///   - request: The request as it is so far.
    /// - Returns: The request with its parameters.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`.
    func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?,
        into request: RequestMessage
    ) throws -> RequestMessage
}

/// Changes a request as it is made: after its method and fields are set, and before its parameters are encoded.
public typealias RequestModifier = @Sendable (inout RequestMessage) throws -> Void
