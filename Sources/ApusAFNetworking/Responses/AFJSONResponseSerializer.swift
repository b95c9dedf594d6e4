public import Apus
public import Foundation
public import HTTPTypes

/// Parses the body as a `JSONValue`.
///
/// An empty body, or a single space, which some servers send instead, results in no object and no error.
///
/// ```swift
/// var serializer = AFJSONResponseSerializer()
/// serializer.acceptableContentTypes?.insert("text/html")
/// serializer.removesKeysWithNullValues = true
/// ```
public struct AFJSONResponseSerializer: AFHTTPResponseSerialization {
    /// Values accepted in addition to objects and arrays.
    public struct ReadingOptions: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Accepts a string, a number, a Boolean or null as the whole body.
        public static let fragmentsAllowed = ReadingOptions(rawValue: 1 << 2)
    }

    /// The content types of JSON, including the form `application/*+json`.
    public static let contentTypes: Set<String> = [
        "application/json", "text/json", "text/javascript", "application/*+json",
    ]

    /// The accepted status codes. `nil` accepts any. Default: 200 to 299.
    public var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
    /// The accepted content types. `nil` accepts any. Default: `contentTypes`.
    public var acceptableContentTypes: Set<String>? = Self.contentTypes
    /// The values accepted in addition to objects and arrays. Default: none.
    public var readingOptions: ReadingOptions
    /// Whether null members and null elements are removed, at every depth. Default: `false`.
    public var removesKeysWithNullValues = false

    /// Creates a serializer.
    ///
    /// - Parameter readingOptions: The values accepted in addition to objects and arrays. Default: none.
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
