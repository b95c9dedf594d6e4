internal import Apus
public import ApusDocuments
public import Foundation
public import HTTPTypes

/// Parses the body as a `PropertyListValue`.
///
/// AFNetworking's read options select mutable containers, which a value type does not need.
public struct AFPropertyListResponseSerializer: AFHTTPResponseSerialization {
    /// The content type that AFNetworking accepts, and the one that Apple's programs send.
    public static let contentTypes: Set<String> = ["application/x-plist", "application/x-apple-plist"]

    /// The accepted status codes. `nil` accepts any. Default: 200 to 299.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The accepted content types. `nil` accepts any. Default: `contentTypes`.
    public var acceptableContentTypes: Set<String>? = Self.contentTypes
    /// The accepted formats. Default: XML and binary.
    public var formats: Set<PropertyListFormat>
    /// The limits of a property list's size and complexity.
    public var limits: PropertyListLimits

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - formats: The accepted formats. Default: XML and binary.
    ///   - limits: The limits of a property list's size and complexity.
    public init(
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits()
    ) {
        self.formats = formats
        self.limits = limits
    }

    public func parse(_ data: Data, of response: HTTPResponse) throws -> PropertyListValue? {
        guard !data.isEmpty else { return nil }
        return try PropertyListValue(data, formats: formats, limits: limits)
    }
}
