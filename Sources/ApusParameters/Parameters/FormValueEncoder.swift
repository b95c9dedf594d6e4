internal import ApusCore
internal import ApusJSON

/// The tree shared by all encoders of one value.
final class FormRecord {
    fileprivate(set) var tree = EncodingBuffer()
    fileprivate let options: URLEncodedFormEncoder
    /// Whether the values are for the parts of a multipart form, which need no escapes.
    fileprivate let isForParts: Bool

    /// Encodes a value into the tree.
    init(of value: some Encodable, _ options: URLEncodedFormEncoder, isForParts: Bool = false) throws(ApusError) {
        self.options = options
        self.isForParts = isForParts
        try FormValueEncoder(record: self, node: EncodingBuffer.root, depth: 0).take(value)
        try check()
    }

    /// Throws a recorded failure, or an error if the root has no keys.
    private func check() throws(ApusError) {
        try checkNotes()
        switch tree.nodes[EncodingBuffer.root].content {
        case .nothing, .container(.keyed, _, _): return
        case .value, .null, .container:
            throw EncodingFault("has no keys, but a form needs them; put it into a dictionary").at([])
        }
    }

    fileprivate func checkNotes() throws(ApusError) {
        if tree.hasFailed, let failure = tree.failure { throw failure.fault.at(failure.path) }
    }
}

/// The encoder for one node of the tree.
struct FormValueEncoder: Encoder, SingleValueEncodingContainer {
    private let record: FormRecord
    private let node: Int
    /// The number of values that contain this one.
    private let depth: Int

    fileprivate init(record: FormRecord, node: Int, depth: Int) {
        self.record = record
        self.node = node
        self.depth = depth
    }

    var options: URLEncodedFormEncoder { record.options }

    var isForParts: Bool { record.isForParts }

    var codingPath: [any CodingKey] { record.tree.path(of: node) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        record.tree.open(.keyed, at: node)
        return KeyedEncodingContainer(FormKeyedContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        record.tree.open(.unkeyed, at: node)
        return FormUnkeyedContainer(encoder: self, count: record.tree.elementCount(at: node))
    }

    /// Returns the container for a set.
    func unorderedContainer() -> any UnkeyedEncodingContainer {
        record.tree.open(.unordered, at: node)
        return FormUnkeyedContainer(encoder: self, count: record.tree.elementCount(at: node))
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
            throw EncodingFault.wrapping(error, at: codingPath)
        }
    }

    func encode<Value: FormScalar>(_ value: Value) throws { try take(scalar: value) }

    func encode<Value: Encodable>(_ value: Value) throws { try take(value) }

    // The standard library's defaults for these two types throw.
    func encode(_ value: Int128) throws { try take(scalar: value) }
    func encode(_ value: UInt128) throws { try take(scalar: value) }

    /// Sets the text of the node.
    func set(_ text: String) throws(EncodingFault) {
        if record.isForParts { return try set(bytes: text.utf8) }
        let (escaping, spaceEncoding) = (record.options.escaping, record.options.spaceEncoding)
        try record.tree.set(at: node) { escaping.append(text, to: &$0, spaceEncoding) }
    }

    /// Sets the bytes of the node, which are not escaped.
    func set(bytes: some Sequence<UInt8>) throws(EncodingFault) {
        try record.tree.set(at: node) { $0.append(contentsOf: bytes) }
    }

    /// Encodes a value that is one text.
    func take<Value: FormScalar>(scalar: Value) throws(ApusError) {
        do { try scalar.write(to: self) } catch { throw EncodingFault.wrapping(error, at: codingPath) }
    }

    /// Encodes any value.
    func take<Value: Encodable>(_ value: Value) throws(ApusError) {
        if let scalar = value as? any FormScalar { return try take(scalar: scalar) }
        let inner = deeper()
        try record.checkNotes()
        do { try value.encode(to: inner) } catch { throw EncodingFault.wrapping(error, at: codingPath) }
    }

    /// Returns a new node with a key in this one. It replaces an earlier value of the key.
    func place(of key: some CodingKey) -> FormValueEncoder { place(record.tree.add(key.stringValue, in: node)) }

    /// Returns the node of a container with a key in this one. It extends an earlier container of the key.
    func place(ofContainer key: some CodingKey) -> FormValueEncoder {
        place(record.tree.container(key.stringValue, in: node))
    }

    /// Returns the node of an element in this one.
    func place(ofElement index: Int) -> FormValueEncoder { place(record.tree.add(element: index, in: node)) }

    private func place(_ child: Int) -> FormValueEncoder {
        FormValueEncoder(record: record, node: child, depth: depth)
    }

    /// Returns an encoder for nested values. Excessive depth is recorded, since not all callers can throw.
    func deeper() -> FormValueEncoder {
        if depth >= URLEncodedFormEncoder.nestingLimit {
            record.tree.note(.tooDeep, at: node)
        }
        return FormValueEncoder(record: record, node: node, depth: depth + 1)
    }
}
