public import ApusCore
public import HTTPTypes

/// A request with parameters: what they are, and where and how they are put into it.
///
/// ```swift
/// let request = ParameterizedRequest("https://example.org/search", parameters: ["text": "a b"])
/// let response = try await session.send(request)
/// ```
///
/// It is built afresh for every attempt of a handle, and once for a direct call: method and fields are set, the modifier
/// runs, and then the parameters are encoded.
public struct ParameterizedRequest<Parameters: Encodable & Sendable>: RequestConvertible {
    private let request: ModifiedRequest

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - url: What the request is for.
    ///   - method: The method; GET by default.
    ///   - parameters: What is to be sent; with `nil` nothing is encoded.
    ///   - encoder: Puts them into the request; as a form by default, into the query of a GET, HEAD or DELETE and into
    ///     the content of others.
    ///   - fields: The fields; none by default.
    ///   - modifier: Changes the request before the parameters are encoded; nothing by default.
    public init(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        parameters: Parameters?,
        encoder: any ParameterEncoder = .urlEncodedForm,
        fields: HTTPFields = [:],
        modifier: RequestModifier? = nil
    ) {
        self.request = ModifiedRequest(url: url, method: method, fields: fields, modifier: modifier) { request in
            do {
                request = try encoder.encode(parameters, into: request)
            } catch {
                throw ApusError.wrapping(error) { ParameterFault.wrapping($0) }
                    .about(method: request.method, target: request.target)
            }
        }
    }

    public func asRequest() throws -> RequestMessage { try request.asRequest() }
}

extension ParameterizedRequest: CustomStringConvertible {
    /// Method and type of the parameters; none of their values.
    public var description: String { "\(request.method.rawValue) with \(Parameters.self)" }
}
