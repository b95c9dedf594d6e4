public import Apus
public import Foundation
public import HTTPTypes

/// Makes a `JSONValue` of the content.
///
/// A content that is empty, or a single space, which some servers send where they mean nothing, is no object and no error.
///
/// ```swift
/// var serializer = AFJSONResponseSerializer()
/// serializer.acceptableContentTypes?.insert("text/html")
/// serializer.removesKeysWithNullValues = true
/// ```
public struct AFJSONResponseSerializer: AFHTTPResponseSerialization {
    /// What may be read besides objects and arrays.
    public struct ReadingOptions: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The content may be a string, a number, a truth value or null alone.
        public static let fragmentsAllowed = ReadingOptions(rawValue: 1 << 2)
    }

    /// The types of JSON, with those of the form `application/*+json`.
    public static let contentTypes: Set<String> = [
        "application/json", "text/json", "text/javascript", "application/*+json",
    ]

    /// The statuses that are accepted; 200 to 299 by default, `nil` accepts any.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The content types that are accepted; `contentTypes` by default, `nil` accepts any.
    public var acceptableContentTypes: Set<String>? = Self.contentTypes
    /// What may be read besides objects and arrays; nothing by default.
    public var readingOptions: ReadingOptions
    /// Whether members that are null are left out, and elements too, at every depth; not by default.
    public var removesKeysWithNullValues = false

    /// Makes a serializer.
    ///
    /// - Parameter readingOptions: What may be read besides objects and arrays; nothing by default.
    public init(readingOptions: ReadingOptions = []) {
        self.readingOptions = readingOptions
    }

    public func parse(_ data: Data, of response: HTTPResponse) throws -> JSONValue? {
        guard !data.isEmpty, data != Data(" ".utf8) else { return nil }
        let value = try JSONValue(parsing: data)
        guard value.array != nil || value.object != nil || readingOptions.contains(.fragmentsAllowed) else {
            throw ApusError(
                .decodingFailed,
                "the JSON is neither an object nor an array; allow that with the reading option .fragmentsAllowed"
            )
        }
        return removesKeysWithNullValues ? value.removingNulls() : value
    }
}
