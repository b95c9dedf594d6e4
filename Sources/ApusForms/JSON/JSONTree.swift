/// The tree of a JSON text: a member with a key that is there already takes its place.
struct JSONTree {
    var encoded = EncodedTree()
    private var members = JSONMemberIndex()

    /// Makes a node with a key, and `given` as what it was made of. It is in its object once it is appended.
    mutating func make(_ key: String, of given: (any CodingKey)? = nil, in parent: Int) -> Int {
        let node = encoded.make(key, in: parent)
        if let given { encoded.keep(given, of: node) }
        return node
    }

    /// Makes the node of the next element of an array. It is in the array once it is appended.
    mutating func makeElement(in parent: Int) -> Int {
        encoded.make(.element(encoded.elementCount(at: parent)), in: parent)
    }

    /// Puts a node behind all others in its container, or in the place of the member that has its key.
    mutating func append(_ node: Int) {
        if let replaced = members.exchange(node, in: encoded) {
            encoded.replace(replaced, by: node)
        } else {
            encoded.append(node)
        }
    }

    /// The member that has the key of a node; where there is none, the node, put behind all others.
    mutating func present(_ node: Int) -> Int {
        if let present = members.find(node, in: encoded) { return present }
        encoded.append(node)
        return node
    }

    /// Adds a member that is one token.
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

    /// Makes a place where nothing was encoded an empty object.
    mutating func close(_ node: Int) {
        if case .nothing = encoded.nodes[node].content { encoded.open(.keyed, at: node) }
    }
}
