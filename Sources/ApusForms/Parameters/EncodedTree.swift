internal import ApusCore

/// What a value said of itself as it was encoded: containers and values in the order of their coming.
///
/// The nodes stand in one array, their keys and values in another; nobody has a dictionary or a string of its own. How
/// a value stands in `text` is up to the format, and what becomes of keys and their order is left to its writer.
struct EncodedTree {
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
        /// A set: in a form, its elements have the key of the set.
        case unordered
    }

    enum Content {
        case nothing
        /// The bytes of `text` that are the value, as they are to be written.
        case value(Range<Int>)
        /// The value of `nil`.
        case null
        /// The first and last node in it; 0, the root, where there is none.
        case container(ContainerKind, first: Int, last: Int)
    }

    struct Node {
        let name: Name
        let parent: Int
        /// Whether the node goes on with what its container has for its key, instead of replacing that.
        let continues: Bool
        /// Whether another has its place, or its container was emptied.
        fileprivate(set) var isLost = false
        /// The next in the same container; 0, the root, where there is none.
        fileprivate(set) var next = 0
        fileprivate(set) var content = Content.nothing
    }

    /// What went wrong, and where.
    struct Failure {
        let fault: ParameterFault
        let path: [any CodingKey]
    }

    static let root = 0

    private(set) var nodes: [Node] = [
        Node(name: .key(0..<0), parent: EncodedTree.root, continues: false)
    ]
    private(set) var text: [UInt8] = []
    /// The keys that `text` has in another form than they were given in, by node.
    private var givenKeys: [Int: any CodingKey] = [:]
    /// What went wrong where nothing could be thrown; the first of it.
    private(set) var failure: Failure?

    init() {
        nodes.reserveCapacity(64)
        text.reserveCapacity(1024)
    }

    /// Makes a node with a key. It is in its container once it is appended.
    mutating func make(_ key: String, in parent: Int, continues: Bool = false) -> Int {
        let start = text.count
        var key = key
        key.withUTF8 { text.append(contentsOf: $0) }
        return make(.key(start..<text.count), in: parent, continues: continues)
    }

    /// Makes a node. It is in its container once it is appended.
    mutating func make(_ name: Name, in parent: Int, continues: Bool = false) -> Int {
        nodes.append(Node(name: name, parent: parent, continues: continues))
        return nodes.count - 1
    }

    /// Keeps the key that a node was given, where it has another.
    mutating func keep(_ key: some CodingKey, of node: Int) { givenKeys[node] = key }

    /// Puts a node behind all that are in its container.
    mutating func append(_ node: Int) {
        let parent = nodes[node].parent
        guard case .container(let kind, let first, let last) = nodes[parent].content else { return }
        nodes[parent].content = .container(kind, first: first == Self.root ? node : first, last: node)
        if last != Self.root { nodes[last].next = node }
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

    /// Gives a node the value that `write` appends to the text.
    mutating func set(at node: Int, _ write: (inout [UInt8]) -> Void) throws(ParameterFault) {
        try requireNothing(at: node)
        setNew(at: node, write)
    }

    /// Gives a node that has nothing the value that `write` appends to the text.
    mutating func setNew(at node: Int, _ write: (inout [UInt8]) -> Void) {
        let start = text.count
        write(&text)
        nodes[node].content = .value(start..<text.count)
    }

    /// Gives a node the value of `nil`.
    mutating func setNull(at node: Int) throws(ParameterFault) {
        try requireNothing(at: node)
        nodes[node].content = .null
    }

    func requireNothing(at node: Int) throws(ParameterFault) {
        guard case .nothing = nodes[node].content, !nodes[node].isLost else { throw .ambiguous }
    }

    /// Takes away what a node has.
    mutating func clear(_ node: Int) {
        if case .container(_, let first, _) = nodes[node].content {
            for child in siblings(first) { nodes[child].isLost = true }
        }
        nodes[node].content = .nothing
    }

    /// Puts a node that is in no container yet in the place of one that is.
    mutating func replace(_ node: Int, by other: Int) {
        let parent = nodes[node].parent
        guard case .container(let kind, let first, let last) = nodes[parent].content else { return }
        nodes[other].next = nodes[node].next
        nodes[parent].content = .container(
            kind,
            first: first == node ? other : first,
            last: last == node ? other : last
        )
        nodes[node].isLost = true
        // Few values are encoded twice: the node in front is looked for.
        var previous = first
        while previous != node, previous != Self.root, previous != other {
            if nodes[previous].next == node { nodes[previous].next = other }
            previous = nodes[previous].next
        }
    }

    /// Keeps what is wrong with a node for the end of the encoding.
    mutating func note(_ fault: ParameterFault, at node: Int) {
        if failure == nil { failure = Failure(fault: fault, path: path(of: node)) }
    }

    /// How many elements the array at a node has.
    func elementCount(at node: Int) -> Int {
        guard case .container(_, _, let last) = nodes[node].content, case .element(let index) = nodes[last].name else {
            return 0
        }
        return index + 1
    }

    /// The nodes of a container, from its first on.
    func siblings(_ first: Int) -> [Int] {
        var siblings: [Int] = []
        var node = first
        while node != Self.root {
            siblings.append(node)
            node = nodes[node].next
        }
        return siblings
    }

    /// Whether a node is in a container with the key that stands in `text`.
    func hasKey(_ key: Range<Int>, in parent: Int, at node: Int) -> Bool {
        guard nodes[node].parent == parent, !nodes[node].isLost, case .key(let other) = nodes[node].name else {
            return false
        }
        return other.count == key.count && zip(other, key).allSatisfy { text[$0] == text[$1] }
    }

    /// Whether the key of one node comes before that of another, by its bytes; `nil` where they have the same.
    func precedes(_ left: Int, _ right: Int) -> Bool? {
        guard case .key(let left) = nodes[left].name, case .key(let right) = nodes[right].name else { return nil }
        for (left, right) in zip(left, right) where text[left] != text[right] { return text[left] < text[right] }
        return left.count == right.count ? nil : left.count < right.count
    }

    /// The keys that lead to a node.
    func path(of node: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var node = node
        while node != Self.root {
            path.append(givenKeys[node] ?? key(of: node))
            node = nodes[node].parent
        }
        return path.reversed()
    }

    private func key(of node: Int) -> CodingPathKey {
        switch nodes[node].name {
        case .key(let range): CodingPathKey(stringValue: String(decoding: text[range], as: UTF8.self))
        case .element(let index): CodingPathKey(intValue: index)
        }
    }
}
