/// Writes a tree as JSON, optionally with the line breaks and indentation of `JSONEncoder`.
struct JSONTreeWriter {
    private let tree: EncodingBuffer
    private let prettyPrinted: Bool
    private let sortedKeys: Bool
    private var depth = 0
    private var output: [UInt8] = []

    static func bytes(of tree: EncodingBuffer, _ options: JSONContentEncoder) -> [UInt8] {
        var writer = JSONTreeWriter(tree, options)
        writer.write(EncodingBuffer.root)
        return writer.output
    }

    private init(_ tree: EncodingBuffer, _ options: JSONContentEncoder) {
        self.tree = tree
        self.prettyPrinted = options.prettyPrinted
        self.sortedKeys = options.sortedKeys
        output.reserveCapacity(tree.text.count + 4 * tree.nodes.count)
    }

    /// The recursion is bounded, because the depth of a tree is limited.
    private mutating func write(_ node: Int) {
        switch tree.nodes[node].content {
        case .value(let range): output.append(contentsOf: tree.text[range])
        case .null: output.append(contentsOf: "null".utf8)
        case .nothing: writeObject(EncodingBuffer.root)
        case .container(.keyed, let first, _): writeObject(first)
        case .container(.unkeyed, let first, _), .container(.unordered, let first, _): writeArray(first)
        }
    }

    private mutating func writeArray(_ first: Int) {
        output.append(UInt8(ascii: "["))
        depth += 1
        var node = first
        while node != EncodingBuffer.root {
            begin(isFirst: node == first)
            write(node)
            node = tree.nodes[node].next
        }
        end(isEmpty: first == EncodingBuffer.root)
        output.append(UInt8(ascii: "]"))
    }

    private mutating func writeObject(_ first: Int) {
        output.append(UInt8(ascii: "{"))
        depth += 1
        if sortedKeys {
            let members = tree.siblingsByKey(first).nodes
            for (place, node) in members.enumerated() { writeMember(node, isFirst: place == 0) }
        } else {
            var node = first
            while node != EncodingBuffer.root {
                writeMember(node, isFirst: node == first)
                node = tree.nodes[node].next
            }
        }
        end(isEmpty: first == EncodingBuffer.root)
        output.append(UInt8(ascii: "}"))
    }

    private mutating func writeMember(_ node: Int, isFirst: Bool) {
        begin(isFirst: isFirst)
        if case .key(let key) = tree.nodes[node].name {
            tree.text.withUnsafeBufferPointer { JSONEscape.append(UnsafeBufferPointer(rebasing: $0[key]), to: &output) }
        }
        if prettyPrinted { output.append(UInt8(ascii: " ")) }
        output.append(UInt8(ascii: ":"))
        if prettyPrinted { output.append(UInt8(ascii: " ")) }
        write(node)
    }

    private mutating func begin(isFirst: Bool) {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        if prettyPrinted { breakLine() }
    }

    /// An empty container has an empty line inside, as `JSONEncoder` writes it.
    private mutating func end(isEmpty: Bool) {
        depth -= 1
        guard prettyPrinted else { return }
        if isEmpty { output.append(UInt8(ascii: "\n")) }
        breakLine()
    }

    private mutating func breakLine() {
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { output.append(contentsOf: "  ".utf8) }
    }
}
