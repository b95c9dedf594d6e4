extension JSONTree {
    /// Puts `value` at the place that `key` names, making objects and arrays on the way.
    ///
    /// - Parameters:
    ///   - value: JSON text, checked.
    ///   - key: The place.
    ///   - source: The item, for the sentence about it.
    ///   - tree: What the items so far add up to.
    /// - Throws: `CommandFault` where something of another type stands in the way.
    static func insert(
        _ value: [UInt8],
        at key: NestedKey,
        named source: String,
        into tree: inout JSONTree?
    )
        throws(CommandFault)
    {
        tree = try Insertion(value: value, key: key, source: source).inserting(at: 0, into: tree)
    }
}

/// One item on its way to its place.
private struct Insertion {
    let value: [UInt8]
    let key: NestedKey
    let source: String

    /// What `tree` becomes when the value is put where the steps from `index` on lead.
    func inserting(at index: Int, into tree: JSONTree?) throws(CommandFault) -> JSONTree {
        guard index < key.steps.count else { return .text(value) }
        let step = key.steps[index]
        // Unlike anything else that is in the way, a null, which a gap may have left, becomes what is needed.
        switch (step, tree == .null ? step.emptyContainer : tree?.opened ?? step.emptyContainer) {
        case (.member(let name), .object(let members)):
            return .object(
                try members.setting(name) { value throws(CommandFault) in
                    try inserting(at: index + 1, into: value)
                }
            )
        case (.element(let element), .array(var elements)):
            while elements.count <= element { elements.append(.null) }
            elements[element] = try inserting(at: index + 1, into: elements[element])
            return .array(elements)
        case (.append, .array(let elements)):
            return .array(elements + [try inserting(at: index + 1, into: nil)])
        case (_, let other):
            throw fault(step, at: index, other)
        }
    }

    private func fault(_ step: NestedKey.Step, at index: Int, _ other: JSONTree) -> CommandFault {
        let prefix = key.prefix(before: index)
        let place = prefix.isEmpty ? "the body" : "'\(prefix)'"
        return CommandFault(
            """
            the item '\(source)' needs \(step.emptyContainer.kind) for its '\(key.text(of: index))' at character \
            \(key.ranges[index].lowerBound + 1), but \(place) is \(other.kind) by now; rename one of them
            """
        )
    }
}

extension [JSONTree.Member] {
    /// The members with the value of one changed, or with one more.
    fileprivate func setting(
        _ name: String,
        _ change: (JSONTree?) throws(CommandFault) -> JSONTree
    ) throws(CommandFault) -> Self {
        var members = self
        // Of two of one name, the last is what most readers take.
        if let index = members.lastIndex(where: { $0.name.elementsEqual(name.utf8) }) {
            members[index].value = try change(members[index].value)
        } else {
            members.append(JSONTree.Member(name, try change(nil)))
        }
        return members
    }
}

extension NestedKey.Step {
    /// What such a step can be applied to.
    fileprivate var emptyContainer: JSONTree {
        switch self {
        case .member: .object([])
        case .element, .append: .array([])
        }
    }
}
