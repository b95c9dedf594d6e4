/// The tree of a JSON text. A member replaces an earlier one with the same key.
struct JSONTree {
    var encoded = EncodingBuffer()
    private var members = JSONMemberIndex()

    /// Creates a node with a key, converted from `given`. It joins its object when it is appended.
    mutating func make(_ key: String, of given: (any CodingKey)? = nil, in parent: Int) -> Int {
        let node = encoded.make(key, in: parent)
        if let given { encoded.keep(given, of: node) }
        return node
    }

    /// Creates the node for an array's next element. It joins the array when it is appended.
    mutating func makeElement(in parent: Int) -> Int {
        encoded.make(.element(encoded.elementCount(at: parent)), in: parent)
    }

    /// Appends a node to its container, or replaces the member with the same key.
    mutating func append(_ node: Int) {
        if let replaced = members.exchange(node, in: encoded) {
            encoded.replace(replaced, by: node)
        } else {
            encoded.append(node)
        }
    }

    /// Returns the member with the key of a node. If there is none, appends the node and returns it.
    mutating func present(_ node: Int) -> Int {
        if let present = members.find(node, in: encoded) { return present }
        encoded.append(node)
        return node
    }

    /// Adds a member whose value is one token.
    mutating func add(_ value: some JSONEncodableScalar, _ key: String, in parent: Int) {
        let node = encoded.make(key, in: parent)
        encoded.setNew(at: node) { value.append(to: &$0) }
        append(node)
    }

    /// Adds an element that is one token.
    mutating func addElement(_ value: some JSONEncodableScalar, in parent: Int) {
        let node = makeElement(in: parent)
        encoded.setNew(at: node) { value.append(to: &$0) }
        encoded.append(node)
    }

    /// Turns a node without a value into an empty object.
    mutating func close(_ node: Int) {
        if case .nothing = encoded.nodes[node].content { encoded.open(.keyed, at: node) }
    }
}
