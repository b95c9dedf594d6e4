/// The namespaces that are declared at a parser's position.
struct XMLNamespaces: Sendable {
    static let xml = "http://www.w3.org/XML/1998/namespace"
    static let declarations = "http://www.w3.org/2000/xmlns/"

    /// The namespaces of each prefix, the innermost declaration last. The empty prefix is the default namespace. An
    /// empty namespace removes a declaration.
    private var bindings: [ExactText: [String]] = [:]
    /// The prefixes declared by open elements, with the depth of the element.
    private var declared: [(depth: Int, prefix: String)] = []

    /// Returns the namespace of `prefix` at this position.
    func namespace(of prefix: String) -> String? {
        switch prefix {
        case "xml": XMLNamespaces.xml
        case "xmlns": XMLNamespaces.declarations
        default: bindings.isEmpty ? nil : bindings[ExactText(text: prefix)]?.last.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// Records a declaration of an element.
    mutating func declare(_ prefix: String, as namespace: String, depth: Int) {
        bindings[ExactText(text: prefix), default: []].append(namespace)
        declared.append((depth, prefix))
    }

    /// Removes the declarations of an element that ends.
    mutating func close(depth: Int) {
        while let last = declared.last, last.depth == depth {
            declared.removeLast()
            bindings[ExactText(text: last.prefix)]?.removeLast()
        }
    }
}
