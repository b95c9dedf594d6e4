public import ApusCore
public import Foundation

/// Puts parameters into the content of a request, as a property list.
///
/// The content gets the type `application/x-plist` where the request names none.
public struct PropertyListParameterEncoder: ParameterEncoder {
    /// An encoder of XML.
    public static let `default` = PropertyListParameterEncoder(format: .xml)

    /// An encoder of the binary form.
    public static let binary = PropertyListParameterEncoder(format: .binary)

    /// What makes the property list.
    public let encoder: PropertyListEncoder

    /// Makes an encoder.
    ///
    /// - Parameter encoder: What makes the property list. It is not to be changed any more.
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
    /// Puts parameters into the content, as a property list in XML.
    public static var propertyList: PropertyListParameterEncoder { .default }

    /// Puts parameters into the content, as a property list.
    ///
    /// - Parameter encoder: What makes the property list. It is not to be changed any more.
    /// - Returns: The encoder of parameters.
    public static func propertyList(encoder: PropertyListEncoder) -> PropertyListParameterEncoder {
        PropertyListParameterEncoder(encoder: encoder)
    }
}
