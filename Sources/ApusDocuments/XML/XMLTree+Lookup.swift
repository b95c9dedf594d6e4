extension XMLTree {
    /// The first child of the root element with a name. See `XMLName.matches(_:)` for matching.
    public subscript(name: String) -> Element? { root[name] }
}

extension XMLTree.Element {
    /// The child elements, in document order.
    public var elements: [XMLTree.Element] {
        children.compactMap { $0.element }
    }

    /// Returns the child elements with a name. See `XMLName.matches(_:)` for matching.
    public func elements(named name: String) -> [XMLTree.Element] {
        children.compactMap { $0.element.flatMap { $0.name.matches(name) ? $0 : nil } }
    }

    /// Returns the child elements with a local name in a namespace, with any prefix.
    public func elements(named local: String, in namespace: String) -> [XMLTree.Element] {
        children.compactMap { node in
            node.element.flatMap { $0.name.isSame(as: local, in: namespace) ? $0 : nil }
        }
    }

    /// The first child element with a name.
    public subscript(name: String) -> XMLTree.Element? {
        for case .element(let element) in children where element.name.matches(name) { return element }
        return nil
    }

    /// Returns all elements at a path: names separated by slashes, starting with the children of this element.
    ///
    /// `channel/item` finds each `item` in each `channel` of this element. `*` matches any name. An empty path finds
    /// the element itself.
    public func elements(at path: String) -> [XMLTree.Element] {
        path.split(separator: "/").reduce([self]) { found, name in
            found.flatMap { $0.elements(named: String(name)) }
        }
    }

    /// Returns the first element at a path.
    public func element(at path: String) -> XMLTree.Element? {
        elements(at: path).first
    }

    /// Returns the value of an attribute. See `XMLName.matches(_:)` for matching.
    public func attribute(_ name: String) -> String? {
        // A name without a colon is most likely that of an attribute without a prefix.
        let attribute =
            attributes.first { $0.name.qualified.isSame(as: name) } ?? attributes.first { $0.name.matches(name) }
        return attribute?.value
    }

    /// Returns the value of the attribute with a local name in a namespace.
    public func attribute(_ local: String, in namespace: String) -> String? {
        attributes.first { $0.name.isSame(as: local, in: namespace) }?.value
    }

    /// All text in the element and its descendants, including CDATA sections, in document order.
    public var text: String {
        var text = ""
        var rest: [ArraySlice<XMLTree.Node>] = [children[...]]
        while var nodes = rest.popLast() {
            guard let node = nodes.popFirst() else { continue }
            rest.append(nodes)
            switch node {
            case .text(let piece), .cdata(let piece): text += piece
            case .element(let element): rest.append(element.children[...])
            case .comment, .processingInstruction: break
            }
        }
        return text
    }
}

extension XMLTree.Node {
    /// The element. `nil` for other nodes.
    public var element: XMLTree.Element? {
        if case .element(let element) = self { element } else { nil }
    }
}
