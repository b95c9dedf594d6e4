public import Apus
public import Foundation
public import HTTPTypes

/// Makes a `PropertyListValue` of the content.
///
/// AFNetworking's read options choose mutable containers, which a value has no need of.
public struct AFPropertyListResponseSerializer: AFHTTPResponseSerialization {
    /// The type that AFNetworking takes, and the one that Apple's programs write.
    public static let contentTypes: Set<String> = ["application/x-plist", "application/x-apple-plist"]

    /// The statuses that are accepted; 200 to 299 by default, `nil` accepts any.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The content types that are accepted; `contentTypes` by default, `nil` accepts any.
    public var acceptableContentTypes: Set<String>? = Self.contentTypes
    /// The formats that are taken; XML and binary by default.
    public var formats: Set<PropertyListFormat>
    /// What a property list may cost.
    public var limits: PropertyListLimits

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - formats: The formats that are taken; XML and binary by default.
    ///   - limits: What a property list may cost.
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
