public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

/// Makes an `XMLEventParser` of the content, which reads it event by event when it is asked.
///
/// ```swift
/// let answer = try await Session().get("https://api.example.org/feed")
/// let feed = AFXMLParserResponseSerializer().responseObject(for: answer.head, data: answer.data)
/// var events = feed.object
/// try events?.parse { print($0) }
/// ```
public struct AFXMLParserResponseSerializer: AFHTTPResponseSerialization {
    /// The types of XML, with those of the form `application/*+xml`.
    public static let contentTypes: Set<String> = ["application/xml", "text/xml", "application/*+xml"]

    /// The statuses that are accepted; 200 to 299 by default, `nil` accepts any.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The content types that are accepted; `contentTypes` by default, `nil` accepts any.
    public var acceptableContentTypes: Set<String>? = Self.contentTypes
    /// What a document may cost.
    public var limits: XMLLimits

    /// Makes a serializer.
    ///
    /// - Parameter limits: What a document may cost.
    public init(limits: XMLLimits = XMLLimits()) {
        self.limits = limits
    }

    public func parse(_ data: Data, of response: HTTPResponse) throws -> XMLEventParser? {
        guard !data.isEmpty else { return nil }
        return try XMLEventParser(data, charset: response.statedCharset(), limits: limits)
    }
}

/// Makes an `XMLTree` of the content.
public struct AFXMLDocumentResponseSerializer: AFHTTPResponseSerialization {
    /// The statuses that are accepted; 200 to 299 by default, `nil` accepts any.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The content types that are accepted; those of XML by default, `nil` accepts any.
    public var acceptableContentTypes: Set<String>? = AFXMLParserResponseSerializer.contentTypes
    /// What a document may cost.
    public var limits: XMLLimits

    /// Makes a serializer.
    ///
    /// - Parameter limits: What a document may cost.
    public init(limits: XMLLimits = XMLLimits()) {
        self.limits = limits
    }

    public func parse(_ data: Data, of response: HTTPResponse) throws -> XMLTree? {
        guard !data.isEmpty else { return nil }
        return try XMLTree(data, charset: response.statedCharset(), limits: limits)
    }
}
