internal import ApusCore

/// The tree that all the places in it share.
final class FormRecord {
    fileprivate(set) var tree: FormTree

    /// What a value says of itself.
    init(of value: some Encodable, _ options: URLEncodedFormEncoder) throws(ApusError) {
        self.tree = FormTree(options)
        try FormValueEncoder(record: self, node: FormTree.root, depth: 0).take(value)
        try tree.check()
    }
}

/// A place in the tree, as `Encodable` sees it.
struct FormValueEncoder: Encoder, SingleValueEncodingContainer {
    private let record: FormRecord
    private let node: Int
    /// How many values this one is in.
    private let depth: Int

    fileprivate init(record: FormRecord, node: Int, depth: Int) {
        self.record = record
        self.node = node
        self.depth = depth
    }

    var options: URLEncodedFormEncoder { record.tree.options }

    var codingPath: [any CodingKey] { record.tree.path(of: node) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        record.tree.open(.keyed, at: node)
        return KeyedEncodingContainer(FormKeyedContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        record.tree.open(.unkeyed, at: node)
        return FormUnkeyedContainer(encoder: self)
    }

    /// The container of a set.
    func unorderedContainer() -> any UnkeyedEncodingContainer {
        record.tree.open(.unordered, at: node)
        return FormUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { try record.tree.setNil(at: node) }

    func encode<Value: FormScalar>(_ value: Value) throws { try take(scalar: value) }

    func encode<Value: Encodable>(_ value: Value) throws { try take(value) }

    /// Gives the place its text.
    func set(_ text: String) throws(ApusError) { try record.tree.set(text, at: node) }

    /// Takes in a value that writes itself as one text.
    func take<Value: FormScalar>(scalar: Value) throws(ApusError) {
        do { try scalar.write(to: self) } catch { throw ParameterFault.wrapping(error, at: codingPath) }
    }

    /// Takes in any value.
    func take<Value: Encodable>(_ value: Value) throws(ApusError) {
        if let scalar = value as? any FormScalar { return try take(scalar: scalar) }
        let inner = deeper()
        if let failure = record.tree.failure { throw failure }
        do { try value.encode(to: inner) } catch { throw ParameterFault.wrapping(error, at: codingPath) }
    }

    /// The place with a key in this one.
    func place(of key: some CodingKey) -> FormValueEncoder {
        FormValueEncoder(record: record, node: record.tree.add(key.stringValue, to: node), depth: depth)
    }

    /// The place of an element in this one.
    func place(ofElement index: Int) -> FormValueEncoder {
        FormValueEncoder(record: record, node: record.tree.add(.element(index), to: node), depth: depth)
    }

    /// The same place, for what is nested in its value. Too deep is noted, since not everybody who goes deeper can throw.
    func deeper() -> FormValueEncoder {
        if depth >= URLEncodedFormEncoder.nestingLimit {
            record.tree.note(.tooDeep, at: node)
        }
        return FormValueEncoder(record: record, node: node, depth: depth + 1)
    }
}
