public import ApusCore

/// Puts parameters into the content of a request, as JSON.
///
/// The content gets the type `application/json` where the request names none. A GET or HEAD has no content: send such
/// parameters in the query, with `URLEncodedFormParameterEncoder`, or by another method.
public struct JSONParameterEncoder: ParameterEncoder {
    /// An encoder with all defaults.
    public static let `default` = JSONParameterEncoder()

    /// One for people: with line breaks and indentation.
    public static let prettyPrinted = JSONParameterEncoder(encoder: JSONContentEncoder(prettyPrinted: true))

    /// One whose objects have their keys in order.
    public static let sortedKeys = JSONParameterEncoder(encoder: JSONContentEncoder(sortedKeys: true))

    /// What makes the JSON.
    public let encoder: any DataEncoder

    /// Makes an encoder.
    ///
    /// - Parameter encoder: What makes the JSON; a `JSONContentEncoder` with all defaults by default. A `JSONEncoder`
    ///   is not to be changed any more.
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
    /// Puts parameters into the content, as JSON.
    public static var json: JSONParameterEncoder { .default }

    /// Puts parameters into the content, as JSON.
    ///
    /// - Parameter encoder: What makes the JSON. A `JSONEncoder` is not to be changed any more.
    /// - Returns: The encoder of parameters.
    public static func json(encoder: any DataEncoder) -> JSONParameterEncoder { JSONParameterEncoder(encoder: encoder) }
}
