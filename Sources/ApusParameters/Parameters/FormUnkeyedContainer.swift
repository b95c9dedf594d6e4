/// The container for an array or a set.
struct FormUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: FormValueEncoder
    private(set) var count: Int

    init(encoder: FormValueEncoder, count: Int) {
        self.encoder = encoder
        self.count = count
    }

    var codingPath: [any CodingKey] { encoder.codingPath }

    private mutating func next() -> FormValueEncoder {
        defer { count += 1 }
        return encoder.place(ofElement: count)
    }

    mutating func encodeNil() throws { try next().encodeNil() }

    mutating func encode<Value: FormScalar>(_ value: Value) throws { try next().take(scalar: value) }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try next().take(value) }

    mutating func encode(_ value: Int128) throws { try next().take(scalar: value) }

    mutating func encode(_ value: UInt128) throws { try next().take(scalar: value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        next().deeper().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().deeper().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { next().deeper() }
}
