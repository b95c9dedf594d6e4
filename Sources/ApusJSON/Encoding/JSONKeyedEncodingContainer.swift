/// The container for a value with keys.
struct JSONKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws { try encoder.add(key) { try $0.encodeNil() } }

    func encode<Value: JSONEncodableScalar>(_ value: Value, forKey key: Key) throws {
        try encoder.add(key, scalar: value)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encoder.add(key) { try $0.take(value) }
    }

    // The standard library's defaults for these two types throw.
    func encode(_ value: Int128, forKey key: Key) throws {
        try encoder.add(key, scalar: value)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        try encoder.add(key, scalar: value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.present(key).deeper().container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.present(key).deeper().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.emptied(CodingPathKey(stringValue: "super")).deeper() }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.emptied(key).deeper() }
}
