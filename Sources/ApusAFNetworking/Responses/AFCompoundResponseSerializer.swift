public import Foundation
public import HTTPTypes

/// Asks several serializers in turn; the first that makes an object counts, with the error it has beside it.
///
/// Where none makes one, the content is handed over as it is, and refused by the compound's own status codes and content
/// types.
///
/// ```swift
/// let serializer = AFCompoundResponseSerializer([AFJSONResponseSerializer(), AFXMLDocumentResponseSerializer()])
/// ```
public struct AFCompoundResponseSerializer: AFHTTPResponseSerialization {
    public typealias ResponseObject = any Sendable

    /// The serializers, in the order in which they are asked.
    public let responseSerializers: [any AFURLResponseSerialization]
    /// The statuses that are accepted where no serializer makes an object; 200 to 299 by default, `nil` accepts any.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The content types that are accepted where no serializer makes an object; `nil`, the default, accepts any.
    public var acceptableContentTypes: Set<String>?

    /// Makes a serializer.
    ///
    /// - Parameter responseSerializers: Whom to ask, in this order.
    public init(_ responseSerializers: [any AFURLResponseSerialization]) {
        self.responseSerializers = responseSerializers
    }

    public func parse(_ data: Data, of response: HTTPResponse) throws -> (any Sendable)? { data }

    public func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<any Sendable> {
        for serializer in responseSerializers {
            let answer = Self.responseObject(for: response, data, by: serializer)
            if answer.object != nil { return answer }
        }
        return AFSerializedResponse(data, error: refusal(of: response, data))
    }

    private static func responseObject<Serializer: AFURLResponseSerialization>(
        for response: HTTPResponse,
        _ data: Data,
        by serializer: Serializer
    ) -> AFSerializedResponse<any Sendable> {
        let answer = serializer.responseObject(for: response, data: data)
        return AFSerializedResponse(answer.object, error: answer.error)
    }
}
