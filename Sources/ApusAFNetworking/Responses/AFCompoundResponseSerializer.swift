public import Foundation
public import HTTPTypes

/// Tries several serializers in order. Uses the first one that returns an object, together with its error.
///
/// If none returns an object, the result is the raw body, checked against the compound's own status codes and content
/// types.
///
/// ```swift
/// let serializer = AFCompoundResponseSerializer([AFJSONResponseSerializer(), AFXMLDocumentResponseSerializer()])
/// ```
public struct AFCompoundResponseSerializer: AFHTTPResponseSerialization {
    public typealias ResponseObject = any Sendable

    /// The serializers, in the order in which they are tried.
    public let responseSerializers: [any AFURLResponseSerialization]
    /// The status codes accepted if no serializer returns an object. `nil` accepts any. Default: 200 to 299.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The content types accepted if no serializer returns an object. `nil` accepts any. Default: `nil`.
    public var acceptableContentTypes: Set<String>?

    /// Creates a serializer.
    ///
    /// - Parameter responseSerializers: The serializers to try, in order.
    public init(_ responseSerializers: [any AFURLResponseSerialization]) {
        self.responseSerializers = responseSerializers
    }

    public func parse(_ data: Data, of response: HTTPResponse) throws -> (any Sendable)? { data }

    public func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<any Sendable> {
        for serializer in responseSerializers {
            let result = Self.responseObject(for: response, data, by: serializer)
            if result.object != nil { return result }
        }
        return AFSerializedResponse(data, error: refusal(of: response, data))
    }

    private static func responseObject<Serializer: AFURLResponseSerialization>(
        for response: HTTPResponse,
        _ data: Data,
        by serializer: Serializer
    ) -> AFSerializedResponse<any Sendable> {
        let result = serializer.responseObject(for: response, data: data)
        return AFSerializedResponse(result.object, error: result.error)
    }
}
