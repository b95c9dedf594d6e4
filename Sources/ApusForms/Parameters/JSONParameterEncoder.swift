public import ApusCore
public import Foundation

/// Puts parameters into the content of a request, as JSON.
///
/// The content gets the type `application/json` where the request names none. A GET or HEAD has no content: send such
/// parameters in the query, with `URLEncodedFormParameterEncoder`, or by another method.
public struct JSONParameterEncoder: ParameterEncoder {
    /// An encoder with all defaults.
    public static let `default` = JSONParameterEncoder()

    /// One for people: with line breaks and indentation.
    public static let prettyPrinted = JSONParameterEncoder(formatting: .prettyPrinted)

    /// One whose objects have their keys in order.
    public static let sortedKeys = JSONParameterEncoder(formatting: .sortedKeys)

    /// What makes the JSON.
    public let encoder: JSONEncoder

    /// Makes an encoder.
    ///
    /// - Parameter encoder: What makes the JSON; a plain `JSONEncoder` by default. It is not to be changed any more.
    public init(encoder: JSONEncoder = JSONEncoder()) {
        self.encoder = encoder
    }

    private init(formatting: JSONEncoder.OutputFormatting) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        self.init(encoder: encoder)
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
    /// - Parameter encoder: What makes the JSON. It is not to be changed any more.
    /// - Returns: The encoder of parameters.
    public static func json(encoder: JSONEncoder) -> JSONParameterEncoder { JSONParameterEncoder(encoder: encoder) }
}
