internal import Apus
internal import ApusCore
public import ApusDocuments
public import Foundation
public import HTTPTypes

/// Parses the body as an `XMLTree`.
public struct AFXMLDocumentResponseSerializer: AFHTTPResponseSerialization {
    /// The accepted status codes. `nil` accepts any. Default: 200 to 299.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The accepted content types. `nil` accepts any. Default: those of XML.
    public var acceptableContentTypes: Set<String>? = AFXMLParserResponseSerializer.contentTypes
    /// The limits of a document's size and complexity.
    public var limits: XMLLimits

    /// Creates a serializer.
    ///
    /// - Parameter limits: The limits of a document's size and complexity.
    public init(limits: XMLLimits = XMLLimits()) {
        self.limits = limits
    }

    public func parse(_ data: Data, of response: HTTPResponse) throws -> XMLTree? {
        guard !data.isEmpty else { return nil }
        return try XMLTree(data, charset: response.statedCharset(), limits: limits)
    }
}
