public import Foundation

/// Encodes values as JSON by the rules of `JSONEncoder`, but faster.
///
/// ```swift
/// struct Search: Encodable, Sendable {
///     let searchText: String
///     let tags: [String]
/// }
/// let encoder = JSONContentEncoder(keyEncodingStrategy: .convertToSnakeCase)
/// let json = try encoder.encode(Search(searchText: "a/b", tags: ["x", "y"]))
/// print(String(decoding: json, as: UTF8.self))  // {"search_text":"a/b","tags":["x","y"]}
/// ```
///
/// Members keep the order in which they are encoded, and only characters that JSON requires to be escaped are escaped.
/// With `sortedKeys` the output equals that of `JSONEncoder` with `.sortedKeys` and `.withoutEscapingSlashes`, byte for
/// byte. Encoding a key of a container again replaces its value in place. Keys are equal if their bytes are.
///
/// Unlike `JSONEncoder`, it rejects values that could not be decoded again: a `Decimal` that is not a number, and with
/// `.iso8601` a date outside of the years 1 to 9999. It throws for a value that encodes itself twice, which terminates
/// the program with `JSONEncoder`.
///
/// See RFC 8259, https://www.rfc-editor.org/rfc/rfc8259.html
public struct JSONContentEncoder: Sendable {
    /// The maximum nesting depth of a value, including the root: 128, as for `URLEncodedFormEncoder`.
    public static let nestingLimit = 128

    /// The encoding of `Date` values.
    public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy
    /// The encoding of `Data` values.
    public var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy
    /// The conversion of keys. The keys of dictionaries by `String` are not converted.
    public var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy
    /// The encoding of infinite numbers and NaN, which JSON does not have.
    public var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy
    /// Whether to add line breaks and indentation for readability.
    public var prettyPrinted: Bool
    /// Whether to sort the members of objects by the UTF-8 bytes of their keys.
    public var sortedKeys: Bool
    /// Contextual information for values while they are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable]

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - dateEncodingStrategy: The encoding of `Date` values. Default: `.deferredToDate`, seconds since 2001.
    ///   - dataEncodingStrategy: The encoding of `Data` values. Default: `.base64`.
    ///   - keyEncodingStrategy: The conversion of keys. Default: `.useDefaultKeys`.
    ///   - nonConformingFloatEncodingStrategy: The encoding of infinite numbers and NaN. Default: `.throw`.
    ///   - prettyPrinted: Whether to add line breaks and indentation. Default: `false`.
    ///   - sortedKeys: Whether to sort the members of objects by key. Default: `false`.
    ///   - userInfo: Contextual information for values. Default: none.
    public init(
        dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .deferredToDate,
        dataEncodingStrategy: JSONEncoder.DataEncodingStrategy = .base64,
        keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys,
        nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy = .throw,
        prettyPrinted: Bool = false,
        sortedKeys: Bool = false,
        userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) {
        self.dateEncodingStrategy = dateEncodingStrategy
        self.dataEncodingStrategy = dataEncodingStrategy
        self.keyEncodingStrategy = keyEncodingStrategy
        self.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
        self.prettyPrinted = prettyPrinted
        self.sortedKeys = sortedKeys
        self.userInfo = userInfo
    }

    /// Encodes a value.
    ///
    /// - Parameter value: The value. Any type is allowed at the root.
    /// - Returns: The JSON in UTF-8.
    /// - Throws: `EncodingError.invalidValue` with the coding path, or an error thrown by the value's own
    ///   `encode(to:)`.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        Data(JSONTreeWriter.bytes(of: try JSONEncodingStorage(of: value, self).tree.encoded, self))
    }
}
