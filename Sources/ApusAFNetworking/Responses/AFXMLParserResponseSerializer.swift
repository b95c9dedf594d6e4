internal import Apus
internal import ApusCore
public import ApusDocuments
public import Foundation
public import HTTPTypes

/// Returns an `XMLEventParser` for the body, which parses it event by event on demand.
///
/// ```swift
/// let response = try await Session().get("https://api.example.org/feed")
/// let feed = AFXMLParserResponseSerializer().responseObject(for: response.head, data: response.data)
/// var events = feed.object
/// try events?.parse { print($0) }
/// ```
public struct AFXMLParserResponseSerializer: AFHTTPResponseSerialization {
    /// The content types of XML, including the form `application/*+xml`.
    public static let contentTypes: Set<String> = ["application/xml", "text/xml", "application/*+xml"]

    /// The accepted status codes. `nil` accepts any. Default: 200 to 299.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The accepted content types. `nil` accepts any. Default: `contentTypes`.
    public var acceptableContentTypes: Set<String>? = Self.contentTypes
    /// The limits of a document's size and complexity.
    public var limits: XMLLimits

    /// Creates a serializer.
    ///
    /// - Parameter limits: The limits of a document's size and complexity.
    public init(limits: XMLLimits = XMLLimits()) {
        self.limits = limits
    }

    public func parse(_ data: Data, of response: HTTPResponse) throws -> XMLEventParser? {
        guard !data.isEmpty else { return nil }
        return try XMLEventParser(data, charset: response.statedCharset(), limits: limits)
    }
}
