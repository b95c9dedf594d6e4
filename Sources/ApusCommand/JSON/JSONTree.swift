internal import Apus

/// The JSON body that items add up to: members in the order in which they were first named.
indirect enum JSONTree: Equatable {
    /// A value whose text is known.
    case text([UInt8])
    case object([Member])
    case array([JSONTree])

    struct Member: Equatable {
        var name: String
        var value: JSONTree
    }

    /// Puts `value` at the place that `key` names, making objects and arrays on the way.
    ///
    /// - Throws: `CommandFault` where something of another type stands in the way.
    static func insert(
        _ value: [UInt8],
        at key: NestedKey,
        named name: String,
        into tree: inout JSONTree?
    )
        throws(CommandFault)
    {
        tree = try inserting(value, at: key.steps[...], named: name, into: tree)
    }

    private static func inserting(
        _ value: [UInt8],
        at steps: ArraySlice<NestedKey.Step>,
        named name: String,
        into tree: JSONTree?
    ) throws(CommandFault) -> JSONTree {
        guard let step = steps.first else { return .text(value) }
        let rest = steps.dropFirst()
        switch (step, tree) {
        case (.member(let member), nil):
            return .object([Member(name: member, value: try inserting(value, at: rest, named: name, into: nil))])
        case (.member(let member), .object(var members)):
            if let index = members.firstIndex(where: { $0.name == member }) {
                members[index].value = try inserting(value, at: rest, named: name, into: members[index].value)
            } else {
                let new = try inserting(value, at: rest, named: name, into: nil)
                members.append(Member(name: member, value: new))
            }
            return .object(members)
        case (.element(let index), nil):
            return try element(index, of: [], to: value, at: rest, named: name)
        case (.element(let index), .array(let elements)):
            return try element(index, of: elements, to: value, at: rest, named: name)
        case (.append, nil):
            return .array([try inserting(value, at: rest, named: name, into: nil)])
        case (.append, .array(let elements)):
            return .array(elements + [try inserting(value, at: rest, named: name, into: nil)])
        case (_, .some(let other)):
            // Unlike an array or object that is in the way, a null left by a gap may become anything.
            guard other == .text(Array("null".utf8)) else {
                throw CommandFault(
                    """
                    the item '\(name)' needs \(step.container) where an item before it put \(other.kind); rename one of \
                    them
                    """
                )
            }
            return try inserting(value, at: steps, named: name, into: nil)
        }
    }

    private static func element(
        _ index: Int,
        of elements: [JSONTree],
        to value: [UInt8],
        at steps: ArraySlice<NestedKey.Step>,
        named name: String
    ) throws(CommandFault) -> JSONTree {
        var elements = elements
        let null = JSONTree.text(Array("null".utf8))
        while elements.count <= index { elements.append(null) }
        elements[index] = try inserting(value, at: steps, named: name, into: elements[index])
        return .array(elements)
    }

    private var kind: String {
        switch self {
        case .text: "a value"
        case .object: "an object"
        case .array: "an array"
        }
    }

    /// The JSON text, in one line.
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
                output += JSONEscape.quoted(member.name)
                output += Array(": ".utf8)
                member.value.encode(into: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}

extension NestedKey.Step {
    fileprivate var container: String {
        switch self {
        case .member: "an object"
        case .element, .append: "an array"
        }
    }
}
