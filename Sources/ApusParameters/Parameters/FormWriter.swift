internal import ApusJSON

/// Writes a tree as pairs. Applies brackets, key conversion and order to the keys.
struct FormWriter {
    private let options: URLEncodedFormEncoder
    private let tree: EncodingBuffer
    /// The unescaped key of the current node.
    private var key: [UInt8] = []
    private var output: [UInt8] = []
    private var pairCount = 0

    static func bytes(of tree: EncodingBuffer, _ options: URLEncodedFormEncoder) -> [UInt8] {
        var writer = FormWriter(tree, options)
        writer.write(EncodingBuffer.root)
        return writer.output
    }

    private init(_ tree: EncodingBuffer, _ options: URLEncodedFormEncoder) {
        self.options = options
        self.tree = tree
        output.reserveCapacity(2 * tree.text.count)
    }

    private mutating func write(_ node: Int) {
        switch tree.nodes[node].content {
        case .nothing:
            return
        case .null:
            writeKey()
        case .value(let range):
            writeKey()
            output.append(UInt8(ascii: "="))
            output.append(contentsOf: tree.text[range])
        case .container(.keyed, let first, _):
            for child in ordered(first, isNested: node != EncodingBuffer.root) {
                let length = key.count
                appendKey(of: child, isNested: node != EncodingBuffer.root)
                write(child)
                key.removeLast(key.count - length)
            }
        case .container(.unkeyed, let first, _):
            writeElements(first)
        case .container(.unordered, let first, _):
            for child in tree.siblings(first) { write(child) }
        }
    }

    /// Elements without output do not count for the index.
    private mutating func writeElements(_ first: Int) {
        let arrayKey = key
        var index = 0
        for child in tree.siblings(first) {
            switch options.arrayEncoding {
            case .noBrackets: break
            case .brackets: key.append(contentsOf: "[]".utf8)
            case .indexInBrackets: key.append(contentsOf: "[\(index)]".utf8)
            case .custom(let encode): key = Array(encode(String(decoding: arrayKey, as: UTF8.self), index).utf8)
            }
            let before = pairCount
            write(child)
            if pairCount > before { index += 1 }
            key.replaceSubrange(0..., with: arrayKey)
        }
    }

    private mutating func writeKey() {
        if pairCount > 0 { output.append(UInt8(ascii: "&")) }
        pairCount += 1
        if options.keyEncoding.keepsKeys {
            key.withUnsafeBufferPointer { options.escaping.append($0, to: &output, options.spaceEncoding) }
        } else {
            let encoded = options.keyEncoding.encode(String(decoding: key, as: UTF8.self))
            options.escaping.append(encoded, to: &output, options.spaceEncoding)
        }
    }

    private mutating func appendKey(of node: Int, isNested: Bool) {
        guard case .key(let range) = tree.nodes[node].name else { return }
        guard isNested else { return key.append(contentsOf: tree.text[range]) }
        switch options.keyPathEncoding.style {
        case .brackets:
            key.append(UInt8(ascii: "["))
            key.append(contentsOf: tree.text[range])
            key.append(UInt8(ascii: "]"))
        case .dots:
            key.append(UInt8(ascii: "."))
            key.append(contentsOf: tree.text[range])
        case .custom(let encode):
            key.append(contentsOf: encode(String(decoding: tree.text[range], as: UTF8.self)).utf8)
        }
    }

    /// Returns the nodes of a keyed container in the order in which they are written, without replaced values.
    private mutating func ordered(_ first: Int, isNested: Bool) -> [Int] {
        let inOrderOfComing = tree.siblings(first)
        guard inOrderOfComing.count > 1 else { return inOrderOfComing }
        let byKey = inOrderOfComing.sorted { tree.precedes($0, $1) ?? false }
        let kept = keptNodes(byKey)
        // Nodes are numbered in the order in which they were encoded.
        if !options.alphabetizeKeyValuePairs { return kept.sorted() }
        if options.keyEncoding.keepsKeys { return kept }
        return kept.map { (key: writtenKey(of: $0, isNested: isNested), node: $0) }
            .sorted { $0.key < $1.key }
            .map(\.node)
    }

    /// Returns those nodes, sorted by key, that are not replaced by a later one of the same key: the last value of each
    /// key, or the containers opened since.
    private func keptNodes(_ byKey: [Int]) -> [Int] {
        var kept: [Int] = []
        for node in byKey {
            while let last = kept.last, tree.precedes(last, node) == nil, isReplaced(last, by: node) {
                kept.removeLast()
            }
            kept.append(node)
        }
        return kept
    }

    private func isReplaced(_ node: Int, by next: Int) -> Bool {
        if case .container = tree.nodes[node].content { return !tree.nodes[next].continues }
        return true
    }

    /// Returns the converted key of a node, or the common prefix of the keys in it.
    private mutating func writtenKey(of node: Int, isNested: Bool) -> String {
        let length = key.count
        appendKey(of: node, isNested: isNested)
        defer { key.removeLast(key.count - length) }
        return options.keyEncoding.encode(String(decoding: key, as: UTF8.self))
    }
}
