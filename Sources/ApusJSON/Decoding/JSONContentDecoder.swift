public import Foundation

/// Decodes JSON by the rules of `JSONDecoder`, in a fraction of the time.
///
/// The default decoder for responses. Its strategies are those of `JSONDecoder`:
///
/// ```swift
/// let decoder = JSONContentDecoder(dateDecodingStrategy: .iso8601, keyDecodingStrategy: .convertFromSnakeCase)
/// let user = try await session.get("https://api.example.org/users/1").decode(User.self, decoder: decoder)
/// ```
///
/// It throws the same errors as `JSONDecoder`, with the same coding paths. It differs in three points:
/// - The text must be UTF-8 and strictly valid JSON. A trailing comma is rejected, and so is UTF-16.
/// - Null in place of a `Bool` throws `valueNotFound`, as for all other types.
/// - Integers above 64 bits may have an exponent.
///
/// If you need the behavior of `JSONDecoder`, pass one to the call.
///
/// See RFC 8259, https://www.rfc-editor.org/rfc/rfc8259.html
public struct JSONContentDecoder: Sendable {
    /// The format of a `Date`. Default: `.deferredToDate`.
    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy
    /// The format of `Data`. Default: `.base64`.
    public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy
    /// The representation of infinity and NaN. Default: `.throw`, which rejects them.
    public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy
    /// How to convert the names of members. Default: `.useDefaultKeys`, which keeps them.
    public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy
    /// Values available to the decoded types. Default: none.
    public var userInfo: [CodingUserInfoKey: any Sendable]
    /// The maximum nesting of arrays and objects. Default: 512.
    public var depthLimit: Int
    /// Whether a repeated name in an object is an error, as I-JSON requires (RFC 7493 §2.3). Default: `false`, which
    /// uses the first value, as `JSONDecoder` and `JSONValue(parsing:)` do.
    public var refusesDuplicateNames: Bool

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - dateDecodingStrategy: The format of a `Date`. Default: `.deferredToDate`.
    ///   - dataDecodingStrategy: The format of `Data`. Default: `.base64`.
    ///   - nonConformingFloatDecodingStrategy: The representation of infinity and NaN. Default: `.throw`.
    ///   - keyDecodingStrategy: How to convert the names of members. Default: `.useDefaultKeys`.
    ///   - userInfo: Values available to the decoded types. Default: none.
    ///   - depthLimit: The maximum nesting of arrays and objects. Default: 512.
    ///   - refusesDuplicateNames: Whether a repeated name in an object is an error. Names are compared before
    ///     conversion by `keyDecodingStrategy`. Default: `false`, which uses the first value.
    public init(
        dateDecodingStrategy: JSONDecoder.DateDecodingStrategy = .deferredToDate,
        dataDecodingStrategy: JSONDecoder.DataDecodingStrategy = .base64,
        nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy = .throw,
        keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys,
        userInfo: [CodingUserInfoKey: any Sendable] = [:],
        depthLimit: Int = JSONValue.defaultDepthLimit,
        refusesDuplicateNames: Bool = false
    ) {
        self.dateDecodingStrategy = dateDecodingStrategy
        self.dataDecodingStrategy = dataDecodingStrategy
        self.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
        self.keyDecodingStrategy = keyDecodingStrategy
        self.userInfo = userInfo
        self.depthLimit = depthLimit
        self.refusesDuplicateNames = refusesDuplicateNames
    }

    /// Decodes a value from JSON text.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The text, in UTF-8. A byte order mark at the start is ignored.
    /// - Returns: The value.
    /// - Throws: `DecodingError` with the cause and its coding path, or any error thrown by the type itself.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var document = try JSONDocument(borrowing: bytes, self)
            defer {
                // The decoded type may have stored its decoder, which must not read bytes that are no longer valid.
                if !isKnownUniquelyReferenced(&document) { document.endBorrowing() }
            }
            return try JSONNodeDecoder(document, 0).decode(type)
        }
    }
}
