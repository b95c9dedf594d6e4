/// The rules of the public suffix list as a tree of labels, from right to left.
///
/// The text is a sorted list of names, each followed by its children in parentheses: `uk(co,gov,*)`. A `!` after a name
/// marks an exception from the `*` beside it. A `?` marks a name that is not a rule but has rules below it. Top-level
/// domains without children are left out, because unknown ones count as public suffixes anyway. The text is exact,
/// small, and a single literal for the compiler. The first use parses it into nodes that refer to the text. A lookup
/// allocates nothing and compares about ten names per label.
struct PublicSuffixTree: Sendable {
    private struct Node {
        let labelStart: UInt32
        let labelCount: UInt32
        let kind: Kind
        let below: Range<UInt32>
    }

    private enum Kind: UInt8 {
        case rule
        case exception
        case name
    }

    private let text: StaticString
    private let nodes: [Node]
    private let top: Range<UInt32>

    /// - Parameter text: The list in the format described above, as the script generates it.
    init(_ text: StaticString) {
        self.text = text
        var reader = Reader(text: text)
        self.top = reader.readNames()
        self.nodes = reader.nodes
    }

    /// Returns the start of the public suffix, or `nil` if the name or one of its labels is empty.
    func suffix(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        let dot = UInt8(ascii: ".")
        let end = name.last == dot ? name.count - 1 : name.count
        guard end > 0, name.first != dot else { return nil }
        var suffix = end
        var labelEnd = end
        var below = top
        while true {
            let start = name[..<labelEnd].lastIndex(of: dot).map { $0 + 1 } ?? 0
            guard start < labelEnd else { return nil }
            // The default rule is the last label.
            if labelEnd == end { suffix = start }
            if !below.isEmpty {
                if isWildcard(nodes[Int(below.lowerBound)]) { suffix = start }
                let node = find(name, start..<labelEnd, in: below)
                switch node?.kind {
                case .rule: suffix = start
                case .exception: suffix = labelEnd + 1
                case .name, nil: break
                }
                below = node?.below ?? 0..<0
            }
            if start == 0 { return suffix }
            labelEnd = start - 1
        }
    }

    private func isWildcard(_ node: Node) -> Bool {
        text.utf8Start[Int(node.labelStart)] == UInt8(ascii: "*")
    }

    private func find(_ name: UnsafeBufferPointer<UInt8>, _ label: Range<Int>, in range: Range<UInt32>) -> Node? {
        var low = Int(range.lowerBound)
        var high = Int(range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            let order = compare(name, label, nodes[middle])
            if order == 0 { return nodes[middle] }
            if order < 0 { high = middle } else { low = middle + 1 }
        }
        return nil
    }

    /// Returns a negative value if the label sorts before the node's label, and a positive one if after it.
    private func compare(_ name: UnsafeBufferPointer<UInt8>, _ label: Range<Int>, _ node: Node) -> Int {
        let count = Int(node.labelCount)
        for index in 0..<min(label.count, count) {
            let order = Int(name[label.lowerBound + index]) - Int(text.utf8Start[Int(node.labelStart) + index])
            if order != 0 { return order }
        }
        return label.count - count
    }

    /// Parses the text into nodes. The children of a node are contiguous.
    private struct Reader {
        let text: StaticString
        var nodes: [Node] = []
        private var position = 0

        init(text: StaticString) {
            self.text = text
        }

        private var byte: UInt8 { position < text.utf8CodeUnitCount ? text.utf8Start[position] : 0 }

        mutating func readNames() -> Range<UInt32> {
            var names: [Node] = []
            repeat {
                if !names.isEmpty { position += 1 }
                names.append(readName())
            } while byte == UInt8(ascii: ",")
            let start = UInt32(nodes.count)
            nodes += names
            return start..<UInt32(nodes.count)
        }

        private mutating func readName() -> Node {
            let start = position
            while isLabel(byte) { position += 1 }
            let count = position - start
            let kind: Kind =
                switch byte {
                case UInt8(ascii: "!"): .exception
                case UInt8(ascii: "?"): .name
                default: .rule
                }
            if kind != .rule { position += 1 }
            var below: Range<UInt32> = 0..<0
            if byte == UInt8(ascii: "(") {
                position += 1
                below = readNames()
                position += 1
            }
            return Node(labelStart: UInt32(start), labelCount: UInt32(count), kind: kind, below: below)
        }

        private func isLabel(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "*"): true
            default: false
            }
        }
    }
}
