/// An array as an unkeyed container.
struct JSONUnkeyedDecodingContainer: UnkeyedDecodingContainer {
    private let document: JSONDocument
    private let array: Int
    private var node: Int
    private(set) var currentIndex = 0

    init(_ document: JSONDocument, _ array: Int) {
        self.document = document
        self.array = array
        self.node = array + 1
    }

    var codingPath: [any CodingKey] { document.path(to: array) }

    var count: Int? { Int(document.nodes[array].count) }

    var isAtEnd: Bool { node >= document.nodes[array].next }

    /// Advances past a null. Any other value is left in place.
    mutating func decodeNil() throws -> Bool {
        guard try element(Any?.self).decodeNil() else { return false }
        advance()
        return true
    }

    mutating func decode<Scalar: JSONDecodableScalar>(_ type: Scalar.Type) throws -> Scalar { try take(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try element(type).decode(type)
        advance()
        return value
    }

    // The default implementations of the standard library always throw for these two types.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try take(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try take(type) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try element(KeyedDecodingContainer<NestedKey>.self).container(keyedBy: type)
        advance()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try element((any UnkeyedDecodingContainer).self).unkeyedContainer()
        advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try element((any Decoder).self)
        advance()
        return decoder
    }

    private mutating func take<Scalar: JSONDecodableScalar>(_ type: Scalar.Type) throws -> Scalar {
        let value = try Scalar(at: element(type))
        advance()
        return value
    }

    /// Returns the next element without advancing, so that a failed decoding can be repeated.
    private func element(_ type: Any.Type) throws -> JSONNodeDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: codingPath + [CodingPathKey(intValue: currentIndex)],
                    debugDescription: "Unkeyed container is at end."
                )
            )
        }
        return JSONNodeDecoder(document, node)
    }

    private mutating func advance() {
        node = Int(document.nodes[node].next)
        currentIndex += 1
    }
}
