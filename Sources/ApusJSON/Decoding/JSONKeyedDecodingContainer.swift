/// An object as a keyed container.
struct JSONKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: JSONMembers

    var codingPath: [any CodingKey] { members.object.codingPath }

    var allKeys: [Key] { members.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members.find(key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try members.value(key).decodeNil() }

    func decode<Scalar: JSONDecodableScalar>(_ type: Scalar.Type, forKey key: Key) throws -> Scalar {
        try Scalar(at: members.value(key))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try members.value(key).decode(type)
    }

    // The standard library implements these for each type, with three lookups per key. A generic overload alone would
    // never be called.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try members.scalar(key.stringValue) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try members.scalar(key.stringValue)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try members.present(key.stringValue)?.decode(type)
    }

    // The default implementations of the standard library always throw for these two types.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try Int128(at: members.value(key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try UInt128(at: members.value(key)) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try members.value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try members.value(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { members.superclass("super") }

    func superDecoder(forKey key: Key) -> any Decoder { members.superclass(key.stringValue) }
}
