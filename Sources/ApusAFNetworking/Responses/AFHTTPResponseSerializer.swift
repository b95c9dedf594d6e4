public import Foundation
public import HTTPTypes

/// Hands the content over as it is, and refuses by status and content type.
///
/// The content is there beside every error.
public struct AFHTTPResponseSerializer: AFHTTPResponseSerialization {
    /// 200 to 299.
    public static let successCodes = IndexSet(integersIn: 200..<300)

    /// The statuses that are accepted; 200 to 299 by default, `nil` accepts any.
    public var acceptableStatusCodes: IndexSet?
    /// The content types that are accepted; `nil`, the default, accepts any.
    public var acceptableContentTypes: Set<String>?

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - acceptableStatusCodes: The statuses that are accepted; 200 to 299 by default, `nil` accepts any.
    ///   - acceptableContentTypes: The content types that are accepted; `nil`, the default, accepts any.
    public init(
        acceptableStatusCodes: IndexSet? = Self.successCodes,
        acceptableContentTypes: Set<String>? = nil
    ) {
        self.acceptableStatusCodes = acceptableStatusCodes
        self.acceptableContentTypes = acceptableContentTypes
    }

    public func parse(_ data: Data, of response: HTTPResponse) throws -> Data? { data }

    public func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<Data> {
        AFSerializedResponse(data, error: refusal(of: response, data))
    }
}
