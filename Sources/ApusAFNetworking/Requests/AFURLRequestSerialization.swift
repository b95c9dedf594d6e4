public import Apus

/// Puts parameters into a request, and the fields that each request shall have.
///
/// Types of your own conform to it; those that have AFNetworking's fields and options conform to
/// `AFHTTPRequestSerialization`.
public protocol AFURLRequestSerialization: Sendable {
    /// Puts parameters into a request.
    ///
    /// - Parameters:
    ///   - request: The request as it is so far.
    ///   - parameters: What is to be sent; `nil` is nothing.
    /// - Returns: The request with its parameters.
    /// - Throws: Anything; what is no `ApusError` becomes the cause of one with the code `parameterEncodingFailed`.
    func request(
        bySerializing request: RequestMessage,
        withParameters parameters: Parameters?
    ) throws -> RequestMessage
}

/// Writes parameters as a query or form, in place of AFNetworking's rules: percent-encoded already.
public typealias QueryStringSerialization = @Sendable (RequestMessage, Parameters) throws -> String
