extension JSONBodyTree {
    /// Inserts `value` at the position of `key`, and creates missing objects and arrays.
    ///
    /// - Parameters:
    ///   - value: Valid JSON text.
    ///   - key: The position.
    ///   - source: The item, for the error message.
    ///   - tree: The result of the items so far.
    /// - Throws: `CommandFault` if a value of another type is in the way.
    static func insert(
        _ value: [UInt8],
        at key: NestedKey,
        named source: String,
        into tree: inout JSONBodyTree?
    )
        throws(CommandFault)
    {
        tree = try Insertion(value: value, key: key, source: source).inserting(at: 0, into: tree)
    }
}

/// The insertion of one item.
private struct Insertion {
    let value: [UInt8]
    let key: NestedKey
    let source: String

    /// Returns `tree` with the value inserted at the steps from `index` on.
    func inserting(at index: Int, into tree: JSONBodyTree?) throws(CommandFault) -> JSONBodyTree {
        guard index < key.steps.count else { return .text(value) }
        let step = key.steps[index]
        // A null, possibly from a gap in an array, is replaced. Any other value in the way is an error.
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

    private func fault(_ step: NestedKey.Step, at index: Int, _ other: JSONBodyTree) -> CommandFault {
        let prefix = key.prefix(before: index)
        let place = prefix.isEmpty ? "the body" : "'\(prefix)'"
        return CommandFault(
            """
            the item '\(source)' needs \(step.emptyContainer.kind) for its '\(key.text(of: index))' at character \
            \(key.ranges[index].lowerBound + 1), but \(place) is already \(other.kind); rename one of them
            """
        )
    }
}

extension [JSONBodyTree.Member] {
    /// Returns the members with one value changed, or with one more member.
    fileprivate func setting(
        _ name: String,
        _ change: (JSONBodyTree?) throws(CommandFault) -> JSONBodyTree
    ) throws(CommandFault) -> Self {
        var members = self
        // Of members with equal names, most readers use the last.
        if let index = members.lastIndex(where: { $0.name.elementsEqual(name.utf8) }) {
            members[index].value = try change(members[index].value)
        } else {
            members.append(JSONBodyTree.Member(name, try change(nil)))
        }
        return members
    }
}

extension NestedKey.Step {
    /// The empty container for this kind of step.
    fileprivate var emptyContainer: JSONBodyTree {
        switch self {
        case .member: .object([])
        case .element, .append: .array([])
        }
    }
}
