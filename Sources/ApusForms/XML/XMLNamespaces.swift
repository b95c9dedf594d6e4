/// The namespaces that are declared where a parser stands.
struct XMLNamespaces: Sendable {
    static let xml = "http://www.w3.org/XML/1998/namespace"
    static let declarations = "http://www.w3.org/2000/xmlns/"

    /// What each prefix stands for, the innermost declaration last; the default namespace has the empty prefix, and
    /// an empty namespace takes a declaration back.
    private var bindings: [ExactText: [String]] = [:]
    /// The prefixes that open elements declared, with the depth of the element.
    private var declared: [(depth: Int, prefix: String)] = []

    /// What `prefix` stands for here.
    func namespace(of prefix: String) -> String? {
        switch prefix {
        case "xml": XMLNamespaces.xml
        case "xmlns": XMLNamespaces.declarations
        default: bindings.isEmpty ? nil : bindings[ExactText(text: prefix)]?.last.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// Takes note of what an element declares.
    mutating func declare(_ prefix: String, as namespace: String, depth: Int) {
        bindings[ExactText(text: prefix), default: []].append(namespace)
        declared.append((depth, prefix))
    }

    /// Forgets what an element declared that ends.
    mutating func close(depth: Int) {
        while let last = declared.last, last.depth == depth {
            declared.removeLast()
            bindings[ExactText(text: last.prefix)]?.removeLast()
        }
    }
}
