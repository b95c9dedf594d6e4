internal import ApusJSON

/// Writes a tree as pairs. Applies brackets, key conversion and order to the keys.
///
/// The tree is a parameter of each method and not a property. Then reading it changes no reference counts.
struct FormWriter<Output: FormOutput> {
    private let options: URLEncodedFormEncoder
    private let keepsKeys: Bool
    /// The unescaped key of the current node.
    private var key: [UInt8] = []
    private var output: Output
    private var pairCount = 0

    static func write(_ tree: EncodingBuffer, _ options: URLEncodedFormEncoder, to output: Output) -> Output {
        var writer = FormWriter(options, output)
        writer.write(EncodingBuffer.root, of: tree)
        return writer.output
    }

    private init(_ options: URLEncodedFormEncoder, _ output: Output) {
        self.options = options
        self.keepsKeys = options.keyEncoding.keepsKeys
        self.output = output
    }

    private mutating func write(_ node: Int, of tree: EncodingBuffer) {
        switch tree.nodes[node].content {
        case .nothing:
            return
        case .null:
            write(nil)
        case .value(let range):
            write(tree.text[range])
        case .container(.keyed, let first, _):
            let isNested = node != EncodingBuffer.root
            for child in ordered(first, of: tree, isNested: isNested) {
                let length = key.count
                appendKey(of: child, of: tree, isNested: isNested)
                write(child, of: tree)
                key.removeLast(key.count - length)
            }
        case .container(.unkeyed, let first, _):
            writeElements(first, of: tree)
        case .container(.unordered, let first, _):
            for child in tree.siblings(first) { write(child, of: tree) }
        }
    }

    /// Elements without output do not count for the index.
    private mutating func writeElements(_ first: Int, of tree: EncodingBuffer) {
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
            write(child, of: tree)
            if pairCount > before { index += 1 }
            key.replaceSubrange(0..., with: arrayKey)
        }
    }

    private mutating func write(_ value: ArraySlice<UInt8>?) {
        pairCount += 1
        if keepsKeys {
            output.append(key, value)
        } else {
            output.append(Array(options.keyEncoding.encode(String(decoding: key, as: UTF8.self)).utf8), value)
        }
    }

    private mutating func appendKey(of node: Int, of tree: EncodingBuffer, isNested: Bool) {
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
    private mutating func ordered(_ first: Int, of tree: EncodingBuffer, isNested: Bool) -> [Int] {
        var (nodes, hasRepeatedKey) = tree.siblingsByKey(first)
        if hasRepeatedKey {
            // The last value of a key replaces the others.
            nodes = zip(nodes, nodes.dropFirst()).filter { tree.precedes($0, $1) != nil }.map(\.0) + nodes.suffix(1)
        }
        // Nodes are numbered in the order in which they were encoded.
        if !options.alphabetizeKeyValuePairs { return nodes.sorted() }
        if keepsKeys { return nodes }
        return nodes.map { (key: writtenKey(of: $0, of: tree, isNested: isNested), node: $0) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map(\.node)
    }

    /// Returns the converted key of a node, or the common prefix of the keys in it.
    private mutating func writtenKey(of node: Int, of tree: EncodingBuffer, isNested: Bool) -> [UInt8] {
        let length = key.count
        appendKey(of: node, of: tree, isNested: isNested)
        defer { key.removeLast(key.count - length) }
        return Array(options.keyEncoding.encode(String(decoding: key, as: UTF8.self)).utf8)
    }
}
