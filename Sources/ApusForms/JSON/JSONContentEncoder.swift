public import Foundation

/// Encodes values as JSON: faster than `JSONEncoder`, by the same rules.
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
/// Members stand in the order in which they are encoded, and nothing is escaped but what JSON demands. With `sortedKeys`
/// the text is, byte for byte, what `JSONEncoder` makes with `.sortedKeys` and `.withoutEscapingSlashes`. Encoding the
/// same key of the same container again replaces its value in its place; keys are the same if their bytes are.
///
/// It refuses what `JSONEncoder` writes though nobody could read it as what it was: a `Decimal` that is no number, and
/// with `.iso8601` a date outside of the years 1 to 9999. And it throws where `JSONEncoder` ends the program: for a value
/// that encodes itself twice.
///
/// See RFC 8259, https://www.rfc-editor.org/rfc/rfc8259.html
public struct JSONContentEncoder: DataEncoder {
    /// How many values deep a value may be nested, the root included: 128, as for `URLEncodedFormEncoder`.
    public static let nestingLimit = URLEncodedFormEncoder.nestingLimit

    /// How a `Date` is written.
    public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy
    /// How `Data` is written.
    public var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy
    /// What is made of keys; those of dictionaries by `String` stay as they are.
    public var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy
    /// How numbers are written that JSON does not have, the infinite ones among them.
    public var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy
    /// Whether there are line breaks and indentation, for people.
    public var prettyPrinted: Bool
    /// Whether the members of objects are sorted by key, by the bytes of its UTF-8.
    public var sortedKeys: Bool
    /// What values are told as they are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable]

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - dateEncodingStrategy: How a `Date` is written; as it encodes itself, in seconds since 2001, by default.
    ///   - dataEncodingStrategy: How `Data` is written; `.base64` by default.
    ///   - keyEncodingStrategy: What is made of keys; `.useDefaultKeys` by default.
    ///   - nonConformingFloatEncodingStrategy: How numbers are written that JSON does not have; they are refused by
    ///     default.
    ///   - prettyPrinted: Whether there are line breaks and indentation; `false` by default.
    ///   - sortedKeys: Whether the members of objects are sorted by key; `false` by default.
    ///   - userInfo: What values are told as they are encoded; nothing by default.
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
    /// - Parameter value: What is to be encoded; its root may be anything.
    /// - Returns: The JSON, in UTF-8.
    /// - Throws: `EncodingError.invalidValue` with the place in the value; or what the value's own `encode(to:)` threw.
    public func encode<Value: Encodable>(_ value: Value) throws -> Data {
        Data(JSONTreeWriter.bytes(of: try JSONRecord(of: value, self).tree.encoded, self))
    }
}
