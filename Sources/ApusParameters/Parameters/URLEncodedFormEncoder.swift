public import ApusCore
internal import ApusJSON
public import Foundation

/// Encodes values as `application/x-www-form-urlencoded` pairs of key and text, for a query or a body.
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
/// The value must have keys at its root: a `struct`, a `class` or a dictionary. Empty arrays and dictionaries are left
/// out. Encoding a key of a container again replaces its value. A superclass encoded through `superEncoder()` adds its
/// pairs to those of its subclass. Numbers, including `Decimal`, are written as their `description`, and rejected if
/// they are not finite. A `URL` is written as its absolute string.
///
/// See https://url.spec.whatwg.org/#application/x-www-form-urlencoded
public struct URLEncodedFormEncoder: Sendable {
    /// The maximum nesting depth of a value, including the root: 128.
    ///
    /// Deeper values, such as one that contains itself, are rejected. This depth fits into a stack of 512 KiB, which is
    /// the size for most threads on Apple's systems.
    public static let nestingLimit = JSONContentEncoder.nestingLimit

    /// An encoder with default settings.
    public static let `default` = URLEncodedFormEncoder()

    /// Whether to sort the keys of each container by their UTF-8 bytes. Otherwise they keep the order of encoding.
    ///
    /// The elements of an array always keep their order. Swift's dictionaries have no order.
    public var alphabetizeKeyValuePairs: Bool
    /// The encoding of the key of an array's element.
    public var arrayEncoding: ArrayEncoding
    /// The encoding of `Bool` values.
    public var boolEncoding: BoolEncoding
    /// The encoding of `Data` values.
    public var dataEncoding: DataEncoding
    /// The encoding of `Date` values.
    public var dateEncoding: DateEncoding
    /// The conversion of keys.
    public var keyEncoding: KeyEncoding
    /// The way in which the key of a nested value is appended to its parent's.
    public var keyPathEncoding: KeyPathEncoding
    /// The encoding of `nil`.
    public var nilEncoding: NilEncoding
    /// The encoding of a space.
    public var spaceEncoding: SpaceEncoding
    /// The characters that are not percent-encoded. Spaces and characters outside of ASCII always are.
    public var allowedCharacters: CharacterSet {
        didSet { escaping = FormEscaping(allowedCharacters) }
    }

    /// `allowedCharacters` as a table.
    private(set) var escaping: FormEscaping

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - alphabetizeKeyValuePairs: Whether to sort pairs by key. Default: `true`.
    ///   - arrayEncoding: The encoding of the key of an array's element. Default: `.brackets`.
    ///   - boolEncoding: The encoding of `Bool` values. Default: `.numeric`.
    ///   - dataEncoding: The encoding of `Data` values. Default: `.base64`.
    ///   - dateEncoding: The encoding of `Date` values. Default: `.deferredToDate`.
    ///   - keyEncoding: The conversion of keys. Default: `.useDefaultKeys`.
    ///   - keyPathEncoding: The way in which nested keys are appended to their parents'. Default: `.brackets`.
    ///   - nilEncoding: The encoding of `nil`. Default: `.dropKey`.
    ///   - spaceEncoding: The encoding of a space. Default: `.percentEscaped`.
    ///   - allowedCharacters: The characters that are not percent-encoded. Default: `.afURLQueryAllowed`.
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
    /// - Returns: The pairs. Empty if there are none.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` and the coding path. `underlying` is the error of
    ///   the value's own `encode(to:)`.
    public func encode(_ value: some Encodable) throws(ApusError) -> String {
        String(decoding: try bytes(of: value), as: UTF8.self)
    }

    /// Encodes a value as bytes.
    ///
    /// - Parameter value: A value with keys at its root.
    /// - Returns: The pairs. Empty if there are none.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` and the coding path. `underlying` is the error of
    ///   the value's own `encode(to:)`.
    public func encode(_ value: some Encodable) throws(ApusError) -> Data {
        Data(try bytes(of: value))
    }

    func bytes(of value: some Encodable) throws(ApusError) -> [UInt8] {
        let tree = try FormRecord(of: value, self).tree
        return FormWriter.write(tree, self, to: FormText(self, capacity: 2 * tree.text.count)).bytes
    }

    /// Returns the pairs without escapes, with data as it is.
    func parts(of value: some Encodable) throws(ApusError) -> [FormParts.Part] {
        FormWriter.write(try FormRecord(of: value, self, isForParts: true).tree, self, to: FormParts()).parts
    }
}
