/// The encoder for one node of the tree.
struct JSONValueEncoder: Encoder, SingleValueEncodingContainer {
    let record: JSONEncodingStorage
    private let node: Int
    /// The number of values that contain this one.
    private let depth: Int32
    /// Whether the keys of this value are data and not converted.
    private let keepsKeys: Bool

    private init(record: JSONEncodingStorage, node: Int, depth: Int32, keepsKeys: Bool = false) {
        self.record = record
        self.node = node
        self.depth = depth
        self.keepsKeys = keepsKeys
    }

    init(root record: JSONEncodingStorage) {
        self.init(record: record, node: EncodingBuffer.root, depth: 0)
    }

    var codingPath: [any CodingKey] { record.tree.encoded.path(of: node) }

    var userInfo: [CodingUserInfoKey: Any] { record.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(.keyed)
        return KeyedEncodingContainer(JSONKeyedEncodingContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(.unkeyed)
        return JSONUnkeyedEncodingContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws {
        do { try record.tree.encoded.setNull(at: node) } catch { throw refusal(of: String?.none as Any, error) }
    }

    func encode<Value: JSONEncodableScalar>(_ value: Value) throws { try take(scalar: value) }

    func encode<Value: Encodable>(_ value: Value) throws {
        do { try record.tree.encoded.requireNothing(at: node) } catch { throw refusal(of: value, error) }
        try take(value)
    }

    // The standard library's defaults for these two types throw.
    func encode(_ value: Int128) throws { try take(scalar: value) }
    func encode(_ value: UInt128) throws { try take(scalar: value) }

    // MARK: Containers

    func open(_ kind: EncodingBuffer.ContainerKind) { record.tree.encoded.open(kind, at: node) }

    /// The number of elements in this node.
    var elementCount: Int { record.tree.encoded.elementCount(at: node) }

    /// Adds a member after `encode` has encoded it.
    func add(_ key: some CodingKey, _ encode: (JSONValueEncoder) throws -> Void) throws {
        let child = make(key)
        try encode(place(child))
        record.tree.append(child)
    }

    /// Adds a member that is one token. The common case takes a single step.
    func add<Value: JSONEncodableScalar>(_ key: some CodingKey, scalar value: Value) throws {
        guard value.notFinite == nil, record.keys == nil else { return try add(key) { try $0.take(scalar: value) } }
        record.tree.add(value, key.stringValue, in: node)
    }

    /// Adds an element that is one token. The common case takes a single step.
    func addElement<Value: JSONEncodableScalar>(scalar value: Value) throws {
        guard value.notFinite == nil else { return try addElement { try $0.take(scalar: value) } }
        record.tree.addElement(value, in: node)
    }

    /// Adds an element after `encode` has encoded it.
    func addElement(_ encode: (JSONValueEncoder) throws -> Void) throws {
        let child = record.tree.makeElement(in: node)
        try encode(place(child))
        record.tree.append(child)
    }

    /// Returns the member with a key, or a new one if there is none.
    func present(_ key: some CodingKey) -> JSONValueEncoder { place(record.tree.present(make(key))) }

    /// Returns the member with a key, with its content removed.
    func emptied(_ key: some CodingKey) -> JSONValueEncoder {
        let child = make(key)
        record.tree.append(child)
        return place(child)
    }

    /// Adds an element.
    func nextElement() -> JSONValueEncoder { place(record.tree.present(record.tree.makeElement(in: node))) }

    private func make(_ key: some CodingKey) -> Int {
        if let keys = record.keys, !keepsKeys, let written = keys.written(key, under: codingPath) {
            return record.tree.make(written, of: key, in: node)
        }
        return record.tree.make(key.stringValue, in: node)
    }

    private func place(_ child: Int) -> JSONValueEncoder { JSONValueEncoder(record: record, node: child, depth: depth) }

    /// Returns an encoder for values nested in this one. Excessive depth is recorded, since not all callers can throw.
    func deeper(keepsKeys: Bool = false) -> JSONValueEncoder {
        if depth >= JSONContentEncoder.nestingLimit { record.tree.encoded.note(.tooDeep, at: node) }
        return JSONValueEncoder(record: record, node: node, depth: depth + 1, keepsKeys: keepsKeys)
    }

    // MARK: Values

    /// Encodes a value that is one token.
    func take<Value: JSONEncodableScalar>(scalar value: Value) throws(EncodingError) {
        do {
            if let notFinite = value.notFinite {
                let text = try record.options.spelling(notFinite)
                try record.tree.encoded.set(at: node) { text.append(to: &$0) }
            } else {
                try record.tree.encoded.set(at: node) { value.append(to: &$0) }
            }
        } catch {
            throw refusal(of: value, error)
        }
    }

    /// Encodes a value with `encode`. If that throws, nothing is encoded.
    func take<Value>(_ value: Value, keepsKeys: Bool = false, by encode: (JSONValueEncoder) throws -> Void) throws {
        let inner = deeper(keepsKeys: keepsKeys)
        try record.checkNotes(value)
        do {
            try encode(inner)
        } catch {
            record.tree.encoded.clear(node)
            throw error
        }
    }

    /// Turns the node into an empty object if nothing was encoded.
    func close() { record.tree.close(node) }

    /// Returns the error for a value at this node.
    func refusal(of value: Any, _ fault: EncodingFault) -> EncodingError {
        fault.encodingError(of: value, at: codingPath)
    }
}
