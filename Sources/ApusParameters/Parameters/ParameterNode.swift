internal import ApusCore
internal import ApusJSON

/// A value that is being encoded as a parameter.
final class ParameterNode {
    private enum Kind {
        case nothing
        case value
        case elements
        case members
    }

    private var kind = Kind.nothing
    private var value = ParameterValue.null
    private var elements: [ParameterNode] = []
    private var members: [String: ParameterNode] = [:]
    /// The first fault that was found where encoding could not throw.
    private var fault: EncodingFault?

    var elementCount: Int { elements.count }

    /// Sets the value. Throws if the node has one.
    func set(_ value: ParameterValue) throws(EncodingFault) {
        guard kind == .nothing else { throw .ambiguous }
        kind = .value
        self.value = value
    }

    /// Turns the node into an array, or keeps it if it is one.
    func openElements() { open(.elements) }

    /// Turns the node into a dictionary, or keeps it if it is one.
    func openMembers() { open(.members) }

    private func open(_ kind: Kind) {
        if self.kind == .nothing { self.kind = kind }
        if self.kind != kind { note(.ambiguous) }
    }

    /// Records a fault until encoding ends.
    func note(_ fault: EncodingFault) {
        if self.fault == nil { self.fault = fault }
    }

    func addElement() -> ParameterNode {
        let element = ParameterNode()
        elements.append(element)
        return element
    }

    /// Returns a new member, which replaces an earlier one with the same name.
    func addMember(_ name: String) -> ParameterNode {
        let member = ParameterNode()
        members[name] = member
        return member
    }

    /// Returns the container with a name, or a new member if there is none.
    func container(_ name: String) -> ParameterNode {
        if let member = members[name], member.kind == .elements || member.kind == .members { return member }
        return addMember(name)
    }

    /// Returns the encoded value. A node without one is an empty dictionary.
    ///
    /// - Parameter path: The keys that lead to the node.
    /// - Returns: The value.
    /// - Throws: The recorded fault.
    func encoded(at path: [any CodingKey]) throws(ApusError) -> ParameterValue {
        if let fault { throw fault.at(path) }
        switch kind {
        case .value:
            return value
        case .elements:
            var values: [ParameterValue] = []
            for (index, element) in elements.enumerated() {
                values.append(try element.encoded(at: path + [CodingPathKey(intValue: index)]))
            }
            return .array(values)
        case .nothing, .members:
            var values: [String: ParameterValue] = [:]
            for (name, member) in members {
                values[name] = try member.encoded(at: path + [CodingPathKey(stringValue: name)])
            }
            return .dictionary(values)
        }
    }
}
