extension XMLTree {
    /// The first element of this name in the root element; see `XMLName.matches(_:)` for what a name means.
    public subscript(name: String) -> Element? { root[name] }
}

extension XMLTree.Element {
    /// The elements in it, in their order.
    public var elements: [XMLTree.Element] {
        children.compactMap { $0.element }
    }

    /// The elements of this name in it; see `XMLName.matches(_:)` for what a name means.
    public func elements(named name: String) -> [XMLTree.Element] {
        children.compactMap { $0.element.flatMap { $0.name.matches(name) ? $0 : nil } }
    }

    /// The elements in it that have this local name in this namespace, whatever their prefixes are.
    public func elements(named local: String, in namespace: String) -> [XMLTree.Element] {
        children.compactMap { node in
            node.element.flatMap { $0.name.isSame(as: local, in: namespace) ? $0 : nil }
        }
    }

    /// The first element of this name in it.
    public subscript(name: String) -> XMLTree.Element? {
        for case .element(let element) in children where element.name.matches(name) { return element }
        return nil
    }

    /// All elements that a path leads to: names with slashes between them, from this element inwards.
    ///
    /// `channel/item` is every `item` in every `channel` in this element; `*` is an element of any name. An empty path
    /// leads to the element itself.
    public func elements(at path: String) -> [XMLTree.Element] {
        path.split(separator: "/").reduce([self]) { found, name in
            found.flatMap { $0.elements(named: String(name)) }
        }
    }

    /// The first element that a path leads to.
    public func element(at path: String) -> XMLTree.Element? {
        elements(at: path).first
    }

    /// The value of an attribute; see `XMLName.matches(_:)` for what a name means.
    public func attribute(_ name: String) -> String? {
        // A name without a colon is most likely one without a prefix.
        let attribute =
            attributes.first { $0.name.qualified.isSame(as: name) } ?? attributes.first { $0.name.matches(name) }
        return attribute?.value
    }

    /// The value of the attribute that has this local name in this namespace.
    public func attribute(_ local: String, in namespace: String) -> String? {
        attributes.first { $0.name.isSame(as: local, in: namespace) }?.value
    }

    /// All text in it and in the elements in it, CDATA sections included, in its order.
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
    /// The element; `nil` where it is something else.
    public var element: XMLTree.Element? {
        if case .element(let element) = self { element } else { nil }
    }
}
