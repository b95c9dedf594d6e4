internal import Apus

/// The JSON body built from the items, with members in the order in which they first appear.
indirect enum JSONBodyTree: Sendable, Equatable {
    /// A value as JSON text. Parsed only if an item inserts something into it.
    case text([UInt8])
    case object([Member])
    case array([JSONBodyTree])

    struct Member: Sendable, Equatable {
        /// The name in UTF-8, which identifies the member.
        let name: [UInt8]
        /// The name as a JSON string.
        let token: [UInt8]
        var value: JSONBodyTree

        init(_ name: String, _ value: JSONBodyTree) {
            self.name = Array(name.utf8)
            token = JSONEscape.quoted(name)
            self.value = value
        }

        init(token: [UInt8], _ value: JSONBodyTree) {
            name = JSONEscape.name(token[...])
            self.token = token
            self.value = value
        }
    }

    static let null = JSONBodyTree.text(Array("null".utf8))

    /// The value with its outermost object or array parsed, if it is one. The values inside stay text.
    var opened: JSONBodyTree {
        guard case .text(let text) = self, let bracket = text.first,
            bracket == UInt8(ascii: "{") || bracket == UInt8(ascii: "[")
        else { return self }
        var reader = JSONReader(depthLimit: JSONFormatter.depthLimit)
        var members: [Member] = []
        var elements: [JSONBodyTree] = []
        var name: [UInt8]?
        var begin: Int?
        while let token = try? reader.next(in: text) {
            switch token {
            case .beginObject, .beginArray:
                if reader.depth == 2 { begin = reader.position - 1 }
                continue
            case .key(let range):
                if reader.depth == 1 { name = Array(text[range]) }
                continue
            case .string(let range), .number(let range), .literal(let range):
                if reader.depth == 1 { begin = range.lowerBound }
            case .endObject, .endArray:
                break
            }
            guard reader.depth == 1, let start = begin else { continue }
            let value = JSONBodyTree.text(Array(text[start..<reader.position]))
            if let name { members.append(Member(token: name, value)) } else { elements.append(value) }
            begin = nil
        }
        return bracket == UInt8(ascii: "{") ? .object(members) : .array(elements)
    }

    /// The name of the value's JSON type.
    var kind: String {
        switch self {
        case .object: return "an object"
        case .array: return "an array"
        case .text(let text):
            switch text.first {
            case UInt8(ascii: "{"): return "an object"
            case UInt8(ascii: "["): return "an array"
            case UInt8(ascii: "\""): return "a string"
            case UInt8(ascii: "t"), UInt8(ascii: "f"): return "a boolean"
            case UInt8(ascii: "n"): return "null"
            default: return "a number"
            }
        }
    }

    /// The JSON text, on one line.
    var encoded: [UInt8] {
        var output: [UInt8] = []
        encode(into: &output)
        return output
    }

    private func encode(into output: inout [UInt8]) {
        switch self {
        case .text(let text):
            output += text
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output += Array(", ".utf8) }
                element.encode(into: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output += Array(", ".utf8) }
                output += member.token
                output += Array(": ".utf8)
                member.value.encode(into: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}
