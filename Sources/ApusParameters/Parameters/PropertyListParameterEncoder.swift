public import ApusCore
public import Foundation

/// Encodes parameters as a property list into the body of a request.
///
/// Sets the content type `application/x-plist` unless the request has one.
public struct PropertyListParameterEncoder: ParameterEncoder {
    /// An encoder for XML.
    public static let `default` = PropertyListParameterEncoder(format: .xml)

    /// An encoder for the binary format.
    public static let binary = PropertyListParameterEncoder(format: .binary)

    /// The encoder for the property list.
    public let encoder: PropertyListEncoder

    /// Creates an encoder.
    ///
    /// - Parameter encoder: The encoder for the property list. It must not be changed afterwards.
    public init(encoder: PropertyListEncoder) {
        self.encoder = encoder
    }

    private init(format: PropertyListSerialization.PropertyListFormat) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        self.init(encoder: encoder)
    }

    public func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?,
        into request: RequestMessage
    ) throws -> RequestMessage {
        try request.withContent(type: "application/x-plist") { try parameters.map { try encoder.encode($0) } }
    }
}

extension ParameterEncoder where Self == PropertyListParameterEncoder {
    /// Encodes parameters as an XML property list into the body.
    public static var propertyList: PropertyListParameterEncoder { .default }

    /// Encodes parameters as a property list into the body.
    ///
    /// - Parameter encoder: The encoder for the property list. It must not be changed afterwards.
    /// - Returns: The parameter encoder.
    public static func propertyList(encoder: PropertyListEncoder) -> PropertyListParameterEncoder {
        PropertyListParameterEncoder(encoder: encoder)
    }
}
