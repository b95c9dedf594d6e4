public import ApusCore
internal import ApusJSON
public import Foundation
public import HTTPTypes

/// A request with parameters and their encoder.
///
/// ```swift
/// let request = ParameterizedRequest("https://example.org/search", parameters: ["text": "a b"])
/// let response = try await session.send(request)
/// ```
///
/// It is created again for each attempt of a handle, and once for a direct call: method and fields are set, the
/// modifier is called, and then the parameters are encoded.
public struct ParameterizedRequest<Parameters: Encodable & Sendable>: RequestConvertible {
    private let request: ModifiedRequest

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method. Default: GET.
    ///   - query: The items added to the URL's query, before those of the parameters. Default: none.
    ///   - parameters: The parameters. With `nil` nothing is encoded.
    ///   - encoder: Encodes the parameters into the request. Default: as a form, in the query for GET, HEAD and DELETE,
    ///     otherwise in the body.
    ///   - fields: The header fields. Default: none.
    ///   - modifier: Modifies the request before the parameters are encoded. Default: `nil`.
    public init(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: RequestFields = [:],
        modifier: RequestModifier? = nil
    ) {
        self.request = ModifiedRequest(
            url: url,
            method: method,
            query: query,
            fields: fields,
            modifier: modifier
        ) { request in
            do {
                request = try encoder.encode(parameters, into: request)
            } catch {
                throw ApusError.wrapping(error) { EncodingFault.wrapping($0) }
                    .about(method: request.method, target: request.target)
            }
        }
    }

    public func asRequest() throws -> RequestMessage { try request.asRequest() }
}

extension ParameterizedRequest: ModifiableRequest {
    package func asRequest(with options: RequestOptions, relativeTo base: TargetURI?) throws -> RequestMessage {
        try request.asRequest(with: options, relativeTo: base)
    }
}

extension ParameterizedRequest: CustomStringConvertible {
    /// The method and the type of the parameters, without their values.
    public var description: String { "\(request.method.rawValue) with \(Parameters.self)" }
}
