internal import ApusCore
internal import ApusJSON

/// Encodes a value as a parameter. Dates, data and decimal numbers keep their type.
struct ParameterValueEncoder: Encoder, SingleValueEncodingContainer {
    private let node: ParameterNode
    let codingPath: [any CodingKey]
    /// The number of values that contain this one.
    private let depth: Int

    /// Encodes a value.
    static func encode(_ value: some Encodable) throws(ApusError) -> ParameterValue {
        let encoder = ParameterValueEncoder(node: ParameterNode(), codingPath: [], depth: 0)
        try encoder.take(value)
        return try encoder.node.encoded(at: [])
    }

    private init(node: ParameterNode, codingPath: [any CodingKey], depth: Int) {
        self.node = node
        self.codingPath = codingPath
        self.depth = depth
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.openMembers()
        return KeyedEncodingContainer(ParameterKeyedContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.openElements()
        return ParameterUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { try set(.null) }

    func encode<Value: Encodable>(_ value: Value) throws { try take(value) }

    // The standard library's defaults for these two types throw.
    func encode(_ value: Int128) throws { try take(value) }
    func encode(_ value: UInt128) throws { try take(value) }

    /// The number of elements of this array.
    var elementCount: Int { node.elementCount }

    /// Returns the encoder for the next element.
    func nextElement() -> ParameterValueEncoder {
        place(node.addElement(), CodingPathKey(intValue: node.elementCount - 1))
    }

    /// Returns the encoder for a member, which replaces an earlier one with the same name.
    func member(_ key: some CodingKey) -> ParameterValueEncoder { place(node.addMember(key.stringValue), key) }

    /// Returns the encoder for a member that is a container, which extends an earlier one with the same name.
    func container(_ key: some CodingKey) -> ParameterValueEncoder { place(node.container(key.stringValue), key) }

    private func place(_ child: ParameterNode, _ key: some CodingKey) -> ParameterValueEncoder {
        ParameterValueEncoder(node: child, codingPath: codingPath + [key], depth: depth)
    }

    /// Returns an encoder for nested values. Excessive depth is recorded, since not all callers can throw.
    func deeper() -> ParameterValueEncoder {
        if depth >= URLEncodedFormEncoder.nestingLimit { node.note(.tooDeep) }
        return ParameterValueEncoder(node: node, codingPath: codingPath, depth: depth + 1)
    }

    /// Encodes any value.
    func take(_ value: some Encodable) throws(ApusError) {
        if let parameter = value as? any ParameterConvertible { return try set(parameter.parameterValue) }
        guard depth < URLEncodedFormEncoder.nestingLimit else { throw EncodingFault.tooDeep.at(codingPath) }
        do {
            if let integer = value as? any BinaryInteger { return try set(ParameterValue(integer: integer)) }
            try value.encode(to: deeper())
        } catch {
            throw EncodingFault.wrapping(error, at: codingPath)
        }
    }

    private func set(_ value: ParameterValue) throws(ApusError) {
        do { try node.set(value) } catch { throw error.at(codingPath) }
    }
}

/// The container for a value with keys.
struct ParameterKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws { try encoder.member(key).encodeNil() }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.member(key).take(value) }

    // The standard library's defaults for these two types throw.
    func encode(_ value: Int128, forKey key: Key) throws { try encoder.member(key).take(value) }
    func encode(_ value: UInt128, forKey key: Key) throws { try encoder.member(key).take(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.container(key).deeper().container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.container(key).deeper().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.member(CodingPathKey(stringValue: "super")).deeper() }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key).deeper() }
}

/// The container for an array or a set.
struct ParameterUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: ParameterValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { encoder.elementCount }

    func encodeNil() throws { try encoder.nextElement().encodeNil() }

    func encode<Value: Encodable>(_ value: Value) throws { try encoder.nextElement().take(value) }

    // The standard library's defaults for these two types throw.
    func encode(_ value: Int128) throws { try encoder.nextElement().take(value) }
    func encode(_ value: UInt128) throws { try encoder.nextElement().take(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.nextElement().deeper().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.nextElement().deeper().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder.nextElement().deeper() }
}
