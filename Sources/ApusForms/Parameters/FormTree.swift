internal import ApusCore

/// What a value said of itself as it was encoded: containers and values in the order of their coming.
///
/// The nodes stand in one array, their keys and values in another; nobody has a dictionary or a string of its own. What
/// becomes of keys is left to `FormWriter`.
struct FormTree {
    /// What a node is to its container.
    enum Name {
        /// The bytes of `text` that are its key, not escaped.
        case key(Range<Int>)
        case element(Int)
    }

    enum ContainerKind {
        case keyed
        /// An array: its elements keep their order.
        case unkeyed
        /// A set: its elements have the key of the set.
        case unordered
    }

    enum Content {
        case nothing
        /// The bytes of `text` that are the value, escaped.
        case value(Range<Int>)
        /// The key alone.
        case null
        /// The first and last node in it; 0, the root, where there is none.
        case container(ContainerKind, first: Int, last: Int)
    }

    struct Node {
        let name: Name
        let parent: Int
        /// The next in the same container; 0, the root, where there is none.
        fileprivate(set) var next = 0
        fileprivate(set) var content = Content.nothing
    }

    static let root = 0

    let options: URLEncodedFormEncoder
    private(set) var nodes: [Node] = [Node(name: .key(0..<0), parent: FormTree.root)]
    private(set) var text: [UInt8] = []
    /// What went wrong where nothing could be thrown; the first of it.
    private(set) var failure: ApusError?

    init(_ options: URLEncodedFormEncoder) {
        self.options = options
        nodes.reserveCapacity(32)
        text.reserveCapacity(512)
    }

    /// Throws what could not be thrown when it came up; and where there are no keys at the root.
    func check() throws(ApusError) {
        if let failure { throw failure }
        switch nodes[Self.root].content {
        case .nothing, .container(.keyed, _, _): return
        case .value, .null, .container:
            throw ParameterFault("has no keys, and a form needs them; put it into a dictionary").at([])
        }
    }

    /// Adds a node with a key.
    mutating func add(_ key: String, to parent: Int) -> Int {
        let start = text.count
        var key = key
        key.withUTF8 { text.append(contentsOf: $0) }
        return add(.key(start..<text.count), to: parent)
    }

    /// Adds a node.
    mutating func add(_ name: Name, to parent: Int) -> Int {
        let index = nodes.count
        nodes.append(Node(name: name, parent: parent))
        guard case .container(let kind, let first, let last) = nodes[parent].content else { return index }
        nodes[parent].content = .container(kind, first: first == Self.root ? index : first, last: index)
        if last != Self.root { nodes[last].next = index }
        return index
    }

    /// Makes a node a container; the same one where it is one already.
    mutating func open(_ kind: ContainerKind, at node: Int) {
        switch nodes[node].content {
        case .nothing:
            nodes[node].content = .container(kind, first: Self.root, last: Self.root)
        case .container(kind, _, _):
            return
        case .value, .null, .container:
            note(.ambiguous, at: node)
        }
    }

    /// Gives a node its value.
    mutating func set(_ value: String, at node: Int) throws(ApusError) {
        try requireNothing(at: node)
        let start = text.count
        options.escaping.append(value, to: &text, options.spaceEncoding)
        nodes[node].content = .value(start..<text.count)
    }

    /// Gives a node the value of `nil`.
    mutating func setNil(at node: Int) throws(ApusError) {
        switch options.nilEncoding.style {
        case .dropKey:
            return
        case .keyAlone:
            try requireNothing(at: node)
            nodes[node].content = .null
        case .text(let encode):
            if let value = encode() { try set(value, at: node) }
        }
    }

    private func requireNothing(at node: Int) throws(ApusError) {
        guard case .nothing = nodes[node].content else {
            throw ParameterFault.ambiguous.at(path(of: node))
        }
    }

    /// Keeps what is wrong with a node for the end of the encoding.
    mutating func note(_ fault: ParameterFault, at node: Int) {
        if failure == nil { failure = fault.at(path(of: node)) }
    }

    /// The keys that lead to a node.
    func path(of node: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var node = node
        while node != Self.root {
            switch nodes[node].name {
            case .key(let range): path.append(FormKey(stringValue: String(decoding: text[range], as: UTF8.self)))
            case .element(let index): path.append(FormKey(intValue: index))
            }
            node = nodes[node].parent
        }
        return path.reversed()
    }
}

/// A key that was encoded, for those who ask for the path.
private struct FormKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        self.intValue = nil
    }

    init(intValue: Int) {
        self.stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
