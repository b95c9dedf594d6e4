public import Foundation

/// Decodes values from JSON, in a fraction of the time that `JSONDecoder` takes, by the same rules.
///
/// It is what answers are decoded with unless a call names another decoder. Its strategies are `JSONDecoder`'s:
///
/// ```swift
/// let decoder = JSONContentDecoder(dateDecodingStrategy: .iso8601, keyDecodingStrategy: .convertFromSnakeCase)
/// let user = try await session.get("https://api.example.org/users/1").decode(User.self, decoder: decoder)
/// ```
///
/// It throws the errors that `JSONDecoder` throws, with the same coding paths. It differs in this:
/// - The text is UTF-8 and JSON to the letter: a comma ahead of a closing bracket is refused, and so is UTF-16.
/// - Null where a `Bool` is wanted is `valueNotFound`, as with all other types.
/// - Integers above 64 bits may have an exponent.
///
/// Give the calls a `JSONDecoder` where you need what it does otherwise.
///
/// See RFC 8259, https://www.rfc-editor.org/rfc/rfc8259.html
public struct JSONContentDecoder: DataDecoder {
    /// How a `Date` is written; `.deferredToDate` by default.
    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy
    /// How `Data` is written; `.base64` by default.
    public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy
    /// How infinity and what is no number are written; `.throw` by default: not at all.
    public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy
    /// What becomes of the names of members; `.useDefaultKeys` by default: they stay.
    public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy
    /// What the types that are decoded get to see; nothing by default.
    public var userInfo: [CodingUserInfoKey: any Sendable]
    /// How many arrays and objects may stand within each other; 512 by default.
    public var depthLimit: Int
    /// Whether an object that has a name twice is an error, as I-JSON demands (RFC 7493 §2.3). Default: `false`, which takes
    /// the first value, as `JSONDecoder` and `JSONValue(parsing:)` do.
    public var refusesDuplicateNames: Bool

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - dateDecodingStrategy: How a `Date` is written; `.deferredToDate` by default.
    ///   - dataDecodingStrategy: How `Data` is written; `.base64` by default.
    ///   - nonConformingFloatDecodingStrategy: How infinity and what is no number are written; not at all by default.
    ///   - keyDecodingStrategy: What becomes of the names of members; they stay by default.
    ///   - userInfo: What the types that are decoded get to see; nothing by default.
    ///   - depthLimit: How many arrays and objects may stand within each other; 512 by default.
    ///   - refusesDuplicateNames: Whether an object that has a name twice is an error; `false` by default, which takes the
    ///     first value. Names are compared as the text has them, whatever `keyDecodingStrategy` makes of them.
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
    ///   - data: The text, in UTF-8; a byte order mark ahead of it is passed over.
    /// - Returns: The value.
    /// - Throws: `DecodingError`, saying what is wrong and where, and what the type itself throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var document = try JSONDocument(borrowing: bytes, self)
            defer {
                // A type may have kept the decoder it was given, which must not look at bytes that are gone.
                if !isKnownUniquelyReferenced(&document) { document.endBorrowing() }
            }
            return try JSONPlace(document, 0).decode(type)
        }
    }
}
