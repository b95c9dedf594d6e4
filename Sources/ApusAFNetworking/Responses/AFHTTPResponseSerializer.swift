public import Foundation
public import HTTPTypes

/// Returns the body as raw data, after a check of the status and the content type.
///
/// Every error is accompanied by the body.
public struct AFHTTPResponseSerializer: AFHTTPResponseSerialization {
    /// The status codes 200 to 299.
    public static let successCodes = IndexSet(integersIn: 200..<300)

    /// The accepted status codes. `nil` accepts any. Default: 200 to 299.
    public var acceptableStatusCodes: IndexSet?
    /// The accepted content types. `nil` accepts any. Default: `nil`.
    public var acceptableContentTypes: Set<String>?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - acceptableStatusCodes: The accepted status codes. `nil` accepts any. Default: 200 to 299.
    ///   - acceptableContentTypes: The accepted content types. `nil` accepts any. Default: `nil`.
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
