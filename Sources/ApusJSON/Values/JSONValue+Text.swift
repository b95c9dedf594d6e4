extension JSONValue: CustomStringConvertible {
    /// Returns the value as JSON text.
    ///
    /// - Parameters:
    ///   - prettyPrinted: Whether each member and element is on its own line, indented by two spaces per level.
    ///     Default: `false`, which writes no white space.
    ///   - sortedKeys: Whether the members of objects are sorted by name. Default: `false`, which keeps their order.
    /// - Returns: The text. Only characters that JSON requires to be escaped are escaped.
    public func jsonText(prettyPrinted: Bool = false, sortedKeys: Bool = false) -> String {
        var writer = JSONWriter(isPretty: prettyPrinted, isSorted: sortedKeys)
        writer.write(self)
        return String(decoding: writer.output, as: UTF8.self)
    }

    /// The value as JSON text, on one line.
    public var description: String { jsonText() }
}

private struct JSONWriter {
    let isPretty: Bool
    let isSorted: Bool
    var output: [UInt8] = []
    private var depth = 0

    init(isPretty: Bool, isSorted: Bool) {
        self.isPretty = isPretty
        self.isSorted = isSorted
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let bool): output.append(contentsOf: (bool ? "true" : "false").utf8)
        case .number(let number): output.append(contentsOf: number.text.utf8)
        case .string(let string): JSONEscape.append(string, to: &output)
        case .array(let array):
            list(array, "[", "]") { writer, element in writer.write(element) }
        case .object(let object):
            let members = isSorted ? object.sorted { $0.key < $1.key } : Array(object)
            list(members, "{", "}") { writer, member in
                JSONEscape.append(member.key, to: &writer.output)
                writer.output.append(UInt8(ascii: ":"))
                if writer.isPretty { writer.output.append(0x20) }
                writer.write(member.value)
            }
        }
    }

    private mutating func list<Item>(
        _ items: [Item],
        _ opening: Unicode.Scalar,
        _ closing: Unicode.Scalar,
        _ write: (inout JSONWriter, Item) -> Void
    ) {
        output.append(UInt8(ascii: opening))
        depth += 1
        for (index, item) in items.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            breakLine()
            write(&self, item)
        }
        depth -= 1
        if !items.isEmpty { breakLine() }
        output.append(UInt8(ascii: closing))
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }
}
