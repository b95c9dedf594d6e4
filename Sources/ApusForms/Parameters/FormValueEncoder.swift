internal import ApusCore

/// The tree that all the places in it share.
final class FormRecord {
    fileprivate(set) var tree = EncodedTree()
    fileprivate let options: URLEncodedFormEncoder

    /// What a value says of itself.
    init(of value: some Encodable, _ options: URLEncodedFormEncoder) throws(ApusError) {
        self.options = options
        try FormValueEncoder(record: self, node: EncodedTree.root, depth: 0).take(value)
        try check()
    }

    /// Throws what could not be thrown when it came up; and where there are no keys at the root.
    private func check() throws(ApusError) {
        try checkNotes()
        switch tree.nodes[EncodedTree.root].content {
        case .nothing, .container(.keyed, _, _): return
        case .value, .null, .container:
            throw ParameterFault("has no keys, and a form needs them; put it into a dictionary").at([])
        }
    }

    fileprivate func checkNotes() throws(ApusError) {
        if let failure = tree.failure { throw failure.fault.at(failure.path) }
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

    var options: URLEncodedFormEncoder { record.options }

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

    func encodeNil() throws {
        do {
            switch options.nilEncoding.style {
            case .dropKey: return
            case .keyAlone: try record.tree.setNull(at: node)
            case .text(let encode): if let value = encode() { try set(value) }
            }
        } catch {
            throw ParameterFault.wrapping(error, at: codingPath)
        }
    }

    func encode<Value: FormScalar>(_ value: Value) throws { try take(scalar: value) }

    func encode<Value: Encodable>(_ value: Value) throws { try take(value) }

    // For these two the standard library has refusals.
    func encode(_ value: Int128) throws { try take(scalar: value) }
    func encode(_ value: UInt128) throws { try take(scalar: value) }

    /// Gives the place its text.
    func set(_ text: String) throws(ParameterFault) {
        let options = options
        try record.tree.set(at: node) { options.escaping.append(text, to: &$0, options.spaceEncoding) }
    }

    /// Takes in a value that writes itself as one text.
    func take<Value: FormScalar>(scalar: Value) throws(ApusError) {
        do { try scalar.write(to: self) } catch { throw ParameterFault.wrapping(error, at: codingPath) }
    }

    /// Takes in any value.
    func take<Value: Encodable>(_ value: Value) throws(ApusError) {
        if let scalar = value as? any FormScalar { return try take(scalar: scalar) }
        let inner = deeper()
        try record.checkNotes()
        do { try value.encode(to: inner) } catch { throw ParameterFault.wrapping(error, at: codingPath) }
    }

    /// The place with a key in this one, which replaces what the key had, or `continues` with it.
    func place(of key: some CodingKey, continues: Bool = false) -> FormValueEncoder {
        place(record.tree.make(key.stringValue, in: node, continues: continues))
    }

    /// The place of an element in this one.
    func place(ofElement index: Int) -> FormValueEncoder { place(record.tree.make(.element(index), in: node)) }

    private func place(_ child: Int) -> FormValueEncoder {
        record.tree.append(child)
        return FormValueEncoder(record: record, node: child, depth: depth)
    }

    /// The same place, for what is nested in its value. Too deep is noted, since not everybody who goes deeper can throw.
    func deeper() -> FormValueEncoder {
        if depth >= URLEncodedFormEncoder.nestingLimit {
            record.tree.note(.tooDeep, at: node)
        }
        return FormValueEncoder(record: record, node: node, depth: depth + 1)
    }
}
