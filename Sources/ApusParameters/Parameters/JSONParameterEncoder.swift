public import ApusCore
public import ApusJSON

/// Encodes parameters as JSON into the body of a request.
///
/// Sets the content type `application/json` unless the request has one. GET and HEAD requests have no body. Send their
/// parameters in the query with `URLEncodedFormParameterEncoder`, or use another method.
public struct JSONParameterEncoder: ParameterEncoder {
    /// An encoder with default settings.
    public static let `default` = JSONParameterEncoder()

    /// An encoder with line breaks and indentation.
    public static let prettyPrinted = JSONParameterEncoder(encoder: JSONContentEncoder(prettyPrinted: true))

    /// An encoder with sorted keys.
    public static let sortedKeys = JSONParameterEncoder(encoder: JSONContentEncoder(sortedKeys: true))

    /// The encoder for the JSON.
    public let encoder: any DataEncoder

    /// Creates an encoder.
    ///
    /// - Parameter encoder: The encoder for the JSON. A `JSONEncoder` must not be changed afterwards. Default: a
    ///   `JSONContentEncoder` with default settings.
    public init(encoder: any DataEncoder = JSONContentEncoder()) {
        self.encoder = encoder
    }

    public func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?,
        into request: RequestMessage
    ) throws -> RequestMessage {
        try request.withContent(type: "application/json") { try parameters.map { try encoder.encode($0) } }
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// Encodes parameters as JSON into the body.
    public static var json: JSONParameterEncoder { .default }

    /// Encodes parameters as JSON into the body.
    ///
    /// - Parameter encoder: The encoder for the JSON. A `JSONEncoder` must not be changed afterwards.
    /// - Returns: The parameter encoder.
    public static func json(encoder: any DataEncoder) -> JSONParameterEncoder { JSONParameterEncoder(encoder: encoder) }
}
