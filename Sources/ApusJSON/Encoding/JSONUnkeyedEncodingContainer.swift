/// The container for an array or a set.
struct JSONUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    let encoder: JSONValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { encoder.elementCount }

    func encodeNil() throws { try encoder.addElement { try $0.encodeNil() } }

    func encode<Value: JSONEncodableScalar>(_ value: Value) throws {
        try encoder.addElement(scalar: value)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try encoder.addElement { try $0.take(value) }
    }

    func encode(_ value: Int128) throws { try encoder.addElement(scalar: value) }

    func encode(_ value: UInt128) throws { try encoder.addElement(scalar: value) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        encoder.nextElement().deeper().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.nextElement().deeper().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.nextElement().deeper() }
}
