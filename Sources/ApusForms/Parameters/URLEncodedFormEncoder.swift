public import ApusCore
public import Foundation

/// Encodes values as `application/x-www-form-urlencoded`: pairs of a key and a text, for a query or a content.
///
/// ```swift
/// struct Search: Encodable, Sendable {
///     let text: String
///     let tags: [String]
/// }
/// let form: String = try URLEncodedFormEncoder().encode(Search(text: "a b", tags: ["x", "y"]))
/// print(form)  // tags%5B%5D=x&tags%5B%5D=y&text=a%20b
/// ```
///
/// What is encoded has to have keys at its root: a `struct`, a `class` or a dictionary. Empty arrays and dictionaries
/// have no pairs and vanish. Encoding the same key of the same container again replaces its value. A superclass that is
/// encoded through `superEncoder()` stands beside what its subclass has. Numbers are written as their `description`,
/// `Decimal` too; one that is not finite is refused. A `URL` is its absolute string.
///
/// See https://url.spec.whatwg.org/#application/x-www-form-urlencoded
public struct URLEncodedFormEncoder: Sendable {
    /// How many values deep a value may be nested, the root included: 128.
    ///
    /// What is deeper, because it contains itself for example, is refused. So much fits into 512 KiB of stack, which is
    /// what most threads have on Apple's systems.
    public static let nestingLimit = 128

    /// An encoder with all defaults.
    public static let `default` = URLEncodedFormEncoder()

    /// Whether pairs are sorted by key, by the bytes of its UTF-8; else they keep the order in which they were encoded.
    ///
    /// The elements of an array keep their order in any case. Swift's dictionaries have none of their own.
    public var alphabetizeKeyValuePairs: Bool
    /// How the key of an array's element is written.
    public var arrayEncoding: ArrayEncoding
    /// How a `Bool` is written.
    public var boolEncoding: BoolEncoding
    /// How `Data` is written.
    public var dataEncoding: DataEncoding
    /// How a `Date` is written.
    public var dateEncoding: DateEncoding
    /// What is made of the letters of a key.
    public var keyEncoding: KeyEncoding
    /// How the key of a nested value follows its parent's.
    public var keyPathEncoding: KeyPathEncoding
    /// How `nil` is written.
    public var nilEncoding: NilEncoding
    /// How a space is written.
    public var spaceEncoding: SpaceEncoding
    /// The characters that are not percent-encoded; those that are not ASCII, and the space, always are.
    public var allowedCharacters: CharacterSet {
        didSet { escaping = FormEscaping(allowedCharacters) }
    }

    /// `allowedCharacters` as a table.
    private(set) var escaping: FormEscaping

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - alphabetizeKeyValuePairs: Whether pairs are sorted by key; `true` by default.
    ///   - arrayEncoding: How the key of an array's element is written; `.brackets` by default.
    ///   - boolEncoding: How a `Bool` is written; `.numeric` by default.
    ///   - dataEncoding: How `Data` is written; `.base64` by default.
    ///   - dateEncoding: How a `Date` is written; `.deferredToDate` by default.
    ///   - keyEncoding: What is made of the letters of a key; `.useDefaultKeys` by default.
    ///   - keyPathEncoding: How the key of a nested value follows its parent's; `.brackets` by default.
    ///   - nilEncoding: How `nil` is written; `.dropKey` by default.
    ///   - spaceEncoding: How a space is written; `.percentEscaped` by default.
    ///   - allowedCharacters: The characters that are not percent-encoded; `.afURLQueryAllowed` by default.
    public init(
        alphabetizeKeyValuePairs: Bool = true,
        arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric,
        dataEncoding: DataEncoding = .base64,
        dateEncoding: DateEncoding = .deferredToDate,
        keyEncoding: KeyEncoding = .useDefaultKeys,
        keyPathEncoding: KeyPathEncoding = .brackets,
        nilEncoding: NilEncoding = .dropKey,
        spaceEncoding: SpaceEncoding = .percentEscaped,
        allowedCharacters: CharacterSet = .afURLQueryAllowed
    ) {
        self.alphabetizeKeyValuePairs = alphabetizeKeyValuePairs
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
        self.dataEncoding = dataEncoding
        self.dateEncoding = dateEncoding
        self.keyEncoding = keyEncoding
        self.keyPathEncoding = keyPathEncoding
        self.nilEncoding = nilEncoding
        self.spaceEncoding = spaceEncoding
        self.allowedCharacters = allowedCharacters
        self.escaping = FormEscaping(allowedCharacters)
    }

    /// Encodes a value as a string.
    ///
    /// - Parameter value: A value with keys at its root.
    /// - Returns: The pairs; empty where there are none.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`, naming the place in the value; what the value's
    ///   own `encode(to:)` threw is its `underlying`.
    public func encode(_ value: some Encodable) throws(ApusError) -> String {
        String(decoding: try bytes(of: value), as: UTF8.self)
    }

    /// Encodes a value as bytes.
    ///
    /// - Parameter value: A value with keys at its root.
    /// - Returns: The pairs; empty where there are none.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`, naming the place in the value; what the value's
    ///   own `encode(to:)` threw is its `underlying`.
    public func encode(_ value: some Encodable) throws(ApusError) -> Data {
        Data(try bytes(of: value))
    }

    func bytes(of value: some Encodable) throws(ApusError) -> [UInt8] {
        FormWriter.bytes(of: try FormRecord(of: value, self).tree, self)
    }
}
