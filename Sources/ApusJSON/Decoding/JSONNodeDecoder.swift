internal import Foundation

/// A value in a document, as a `Decoder`.
struct JSONNodeDecoder: Decoder, SingleValueDecodingContainer {
    let document: JSONDocument
    /// The index of its node. Negative for a missing value.
    let node: Int
    /// Whether the key decoding strategy is ignored, because the names are dictionary keys and therefore data.
    private let keepsNames: Bool

    init(_ document: JSONDocument, _ node: Int, keepsNames: Bool = false) {
        self.document = document
        self.node = node
        self.keepsNames = keepsNames
    }

    /// Creates the decoder of a superclass that is missing in the text. It decodes as null.
    init(missing name: String, in object: JSONNodeDecoder) {
        self.init(object.document, -1 - object.document.noteMissing(name, in: object.node))
    }

    var kind: JSONDocument.Kind { node < 0 ? .null : document.nodes[node].kind }

    var codingPath: [any CodingKey] { node < 0 ? document.path(toMissing: -1 - node) : document.path(to: node) }

    var userInfo: [CodingUserInfoKey: Any] { document.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard kind == .object else { throw mismatch([String: Any].self, "keyed decoding container") }
        return KeyedDecodingContainer(
            JSONKeyedDecodingContainer<Key>(members: JSONMembers(self, node, keepsNames: keepsNames))
        )
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard kind == .array else { throw mismatch([Any].self, "unkeyed decoding container") }
        return JSONUnkeyedDecodingContainer(document, node)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { kind == .null }

    func decode<Scalar: JSONDecodableScalar>(_ type: Scalar.Type) throws -> Scalar { try Scalar(at: self) }

    // The default implementations of the standard library always throw for these two types.
    func decode(_ type: Int128.Type) throws -> Int128 { try Int128(at: self) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try UInt128(at: self) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // Compare types first, since a check for protocol conformance takes much longer.
        if type == Date.self || type == Data.self || type == URL.self || type == Decimal.self {
            return try decodeOtherwise(type)
        }
        guard document.convertsNames, kind == .object else { return try Value(from: self) }
        return try Value(from: JSONNodeDecoder(document, node, keepsNames: type is any DictionaryOfNames.Type))
    }

    /// Decodes a type whose own `Decodable` implementation is not meant for JSON.
    @inline(never)
    private func decodeOtherwise<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let scalar = type as? any JSONDecodableScalar.Type
        guard let value = try scalar?.init(at: self) as? Value else { return try Value(from: self) }
        return value
    }

    /// The text of the value. Must not be read for a missing value, which is null.
    var text: UnsafeRawBufferPointer { document.text(of: node) }

    /// The traits of the text of a string.
    var traits: JSONReader.TextTraits { document.nodes[node].traits }

    /// Returns the error for a value of another kind, or for null.
    func mismatch(_ type: Any.Type, _ name: String? = nil) -> DecodingError {
        if kind == .null {
            let wanted = name ?? "value of type \(type)"
            return .valueNotFound(type, context("Cannot get \(wanted) -- found null value instead"))
        }
        return .typeMismatch(type, context("Expected to decode \(type) but found \(kind.name) instead."))
    }

    func corrupted(_ reason: String) -> DecodingError { .dataCorrupted(context(reason)) }

    private func context(_ reason: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: reason)
    }
}
