/// The output of a value's `encode(to:)`: containers and values in the order in which they were encoded.
///
/// All nodes are in one array, and all keys and values in another, without a dictionary or string per node. The format
/// decides how values are written in `text`. Its writer converts and orders the keys.
package struct EncodingBuffer {
    /// A node's name in its container.
    package enum Name {
        /// The unescaped bytes of its key in `text`.
        case key(Range<Int>)
        case element(Int)
    }

    package enum ContainerKind {
        case keyed
        /// An array, whose elements keep their order.
        case unkeyed
        /// A set. In a form its elements have the key of the set.
        case unordered
    }

    package enum Content {
        case nothing
        /// The bytes of the value in `text`, as they are to be written.
        case value(Range<Int>)
        /// An encoded `nil`.
        case null
        /// The first and last node in it. 0, the root, if it is empty.
        case container(ContainerKind, first: Int, last: Int)
    }

    package struct Node {
        package let name: Name
        package let parent: Int
        /// Whether the node was replaced, or its container was cleared.
        package fileprivate(set) var isLost = false
        /// The next node in the same container. 0, the root, if there is none.
        package fileprivate(set) var next = 0
        package fileprivate(set) var content = Content.nothing
    }

    /// A failure and its coding path.
    package struct Failure {
        package let fault: EncodingFault
        package let path: [any CodingKey]
    }

    package static let root = 0

    package private(set) var nodes: [Node] = [
        Node(name: .key(0..<0), parent: EncodingBuffer.root)
    ]
    package private(set) var text: [UInt8] = []
    /// The original keys of nodes whose key was converted, by node.
    private var givenKeys: [Int: any CodingKey] = [:]
    /// The first failure recorded where encoding could not throw.
    package private(set) var failure: Failure?
    /// Whether a failure was recorded. Checked for each value, where `failure` costs more.
    package private(set) var hasFailed = false

    package init() {
        nodes.reserveCapacity(64)
        text.reserveCapacity(1024)
    }

    /// Creates a node with a key. It joins its container when it is appended.
    package mutating func make(_ key: String, in parent: Int) -> Int {
        let start = text.count
        var key = key
        key.withUTF8 { text.append(contentsOf: $0) }
        return make(.key(start..<text.count), in: parent)
    }

    /// Creates a node. It joins its container when it is appended.
    package mutating func make(_ name: Name, in parent: Int) -> Int {
        nodes.append(Node(name: name, parent: parent))
        return nodes.count - 1
    }

    /// Creates a node with a key, appends it to its container, and returns it.
    package mutating func add(_ key: String, in parent: Int) -> Int {
        let node = make(key, in: parent)
        append(node)
        return node
    }

    /// Returns the container that was added last with a key. Adds a node if there is none.
    package mutating func container(_ key: String, in parent: Int) -> Int {
        let node = make(key, in: parent)
        if case .container(_, let first, _) = nodes[parent].content,
            let last = siblings(first).last(where: { precedes($0, node) == nil }),
            case .container = nodes[last].content
        {
            return last
        }
        append(node)
        return node
    }

    /// Creates a node for an element, appends it to its container, and returns it.
    package mutating func add(element index: Int, in parent: Int) -> Int {
        let node = make(.element(index), in: parent)
        append(node)
        return node
    }

    /// Stores the original key of a node whose key was converted.
    package mutating func keep(_ key: some CodingKey, of node: Int) { givenKeys[node] = key }

    /// Appends a node to its container.
    package mutating func append(_ node: Int) {
        let parent = nodes[node].parent
        guard case .container(let kind, let first, let last) = nodes[parent].content else { return }
        nodes[parent].content = .container(kind, first: first == Self.root ? node : first, last: node)
        if last != Self.root { nodes[last].next = node }
    }

    /// Turns a node into a container, or keeps it if it is one of the same kind.
    package mutating func open(_ kind: ContainerKind, at node: Int) {
        switch nodes[node].content {
        case .nothing:
            nodes[node].content = .container(kind, first: Self.root, last: Self.root)
        case .container(kind, _, _):
            return
        case .value, .null, .container:
            note(.ambiguous, at: node)
        }
    }

    /// Sets the value of a node, which `write` appends to the text.
    package mutating func set(at node: Int, _ write: (inout [UInt8]) -> Void) throws(EncodingFault) {
        try requireNothing(at: node)
        setNew(at: node, write)
    }

    /// Sets the value of an empty node, which `write` appends to the text.
    package mutating func setNew(at node: Int, _ write: (inout [UInt8]) -> Void) {
        let start = text.count
        write(&text)
        nodes[node].content = .value(start..<text.count)
    }

    /// Sets the value of a node to `nil`.
    package mutating func setNull(at node: Int) throws(EncodingFault) {
        try requireNothing(at: node)
        nodes[node].content = .null
    }

    package func requireNothing(at node: Int) throws(EncodingFault) {
        guard case .nothing = nodes[node].content, !nodes[node].isLost else { throw .ambiguous }
    }

    /// Removes the content of a node.
    package mutating func clear(_ node: Int) {
        if case .container(_, let first, _) = nodes[node].content {
            for child in siblings(first) { nodes[child].isLost = true }
        }
        nodes[node].content = .nothing
    }

    /// Replaces a node in its container with one that is in no container yet.
    package mutating func replace(_ node: Int, by other: Int) {
        let parent = nodes[node].parent
        guard case .container(let kind, let first, let last) = nodes[parent].content else { return }
        nodes[other].next = nodes[node].next
        nodes[parent].content = .container(
            kind,
            first: first == node ? other : first,
            last: last == node ? other : last
        )
        nodes[node].isLost = true
        // Values are rarely encoded twice, so a search for the previous node is acceptable.
        var previous = first
        while previous != node, previous != Self.root, previous != other {
            if nodes[previous].next == node { nodes[previous].next = other }
            previous = nodes[previous].next
        }
    }

    /// Records a failure of a node until encoding ends.
    package mutating func note(_ fault: EncodingFault, at node: Int) {
        guard !hasFailed else { return }
        failure = Failure(fault: fault, path: path(of: node))
        hasFailed = true
    }

    /// Returns the number of elements of the array at a node.
    package func elementCount(at node: Int) -> Int {
        guard case .container(_, _, let last) = nodes[node].content, case .element(let index) = nodes[last].name else {
            return 0
        }
        return index + 1
    }

    /// Returns the nodes of a container, starting with the first.
    package func siblings(_ first: Int) -> [Int] {
        var count = 0
        var node = first
        while node != Self.root {
            count += 1
            node = nodes[node].next
        }
        var siblings: [Int] = []
        siblings.reserveCapacity(count)
        node = first
        while node != Self.root {
            siblings.append(node)
            node = nodes[node].next
        }
        return siblings
    }

    /// Returns the nodes of a container, sorted by the bytes of their keys, then by the order in which they were
    /// encoded, and whether a key occurs more than once.
    package func siblingsByKey(_ first: Int) -> (nodes: [Int], hasRepeatedKey: Bool) {
        var hasRepeatedKey = false
        let sorted = siblings(first).sorted { left, right in
            if let precedes = precedes(left, right) { return precedes }
            hasRepeatedKey = true
            return left < right
        }
        return (sorted, hasRepeatedKey)
    }

    /// Returns whether a node is in a container with the key at a range of `text`.
    package func hasKey(_ key: Range<Int>, in parent: Int, at node: Int) -> Bool {
        guard nodes[node].parent == parent, !nodes[node].isLost, case .key(let other) = nodes[node].name else {
            return false
        }
        return other.count == key.count && zip(other, key).allSatisfy { text[$0] == text[$1] }
    }

    /// Returns whether the key of one node sorts before that of another by its bytes. `nil` if the keys are equal.
    package func precedes(_ left: Int, _ right: Int) -> Bool? {
        guard case .key(let left) = nodes[left].name, case .key(let right) = nodes[right].name else { return nil }
        for (left, right) in zip(left, right) where text[left] != text[right] { return text[left] < text[right] }
        return left.count == right.count ? nil : left.count < right.count
    }

    /// Returns the coding path of a node.
    package func path(of node: Int) -> [any CodingKey] {
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
