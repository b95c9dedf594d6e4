internal import Foundation

/// A value in a document, as `Decodable` sees it.
struct JSONPlace: Decoder, SingleValueDecodingContainer {
    let document: JSONDocument
    /// Its node; below zero where there is none.
    let node: Int
    /// Whether names stay as they are, whatever the strategy: those of a dictionary are data.
    private let keepsNames: Bool

    init(_ document: JSONDocument, _ node: Int, keepsNames: Bool = false) {
        self.document = document
        self.node = node
        self.keepsNames = keepsNames
    }

    /// The superclass of a value that says nothing of it: null.
    init(missing name: String, in object: JSONPlace) {
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

    // For these two the standard library has refusals.
    func decode(_ type: Int128.Type) throws -> Int128 { try Int128(at: self) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try UInt128(at: self) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // Types are compared, since to ask whether one has a protocol takes much longer.
        if type == Date.self || type == Data.self || type == URL.self || type == Decimal.self {
            return try decodeOtherwise(type)
        }
        guard document.convertsNames, kind == .object else { return try Value(from: self) }
        return try Value(from: JSONPlace(document, node, keepsNames: type is any DictionaryOfNames.Type))
    }

    /// Decodes a type that makes something else of itself elsewhere.
    @inline(never)
    private func decodeOtherwise<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let scalar = type as? any JSONDecodableScalar.Type
        guard let value = try scalar?.init(at: self) as? Value else { return try Value(from: self) }
        return value
    }

    /// The text of a value that is there: one that is missing is null, and null has none.
    var text: UnsafeRawBufferPointer { document.text(of: node) }

    /// Of the text of a string.
    var traits: JSONReader.TextTraits { document.nodes[node].traits }

    /// The value is something else, or null.
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
