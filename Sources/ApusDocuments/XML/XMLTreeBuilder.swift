internal import ApusCore

/// Builds a tree from events.
struct XMLTreeBuilder {
    private var tree = XMLTree(root: XMLTree.Element(""), declaration: nil)
    private var open: [XMLTree.Element] = []
    private var isBehindRoot = false
    private var nodes = 0

    static func build(_ events: inout XMLEventParser) throws(ApusError) -> XMLTree {
        var builder = XMLTreeBuilder()
        let maximum = events.limits.maximumNodes
        while let event = try events.next() {
            builder.take(event)
            guard builder.nodes <= maximum else {
                throw ApusError(
                    .decodingFailed,
                    "the XML exceeds a limit at \(events.position): "
                        + "it has more than \(maximum) nodes; raise XMLLimits.maximumNodes"
                )
            }
        }
        return builder.tree
    }

    private mutating func take(_ event: XMLEvent) {
        switch event {
        case .declaration(let declaration):
            tree.declaration = declaration
        case .documentType(let type):
            tree.documentType = type
        case .startElement(let name, let attributes):
            nodes += 1
            open.append(XMLTree.Element(name, attributes: attributes))
        case .endElement:
            guard let element = open.popLast() else { return }
            if open.isEmpty {
                tree.root = element
                isBehindRoot = true
            } else {
                open[open.count - 1].children.append(.element(element))
            }
        case .text(let text):
            append(.text(text))
        case .cdata(let text):
            append(.cdata(text))
        case .comment(let text):
            append(.comment(text))
        case .processingInstruction(let target, let data):
            append(.processingInstruction(target: target, data: data))
        }
    }

    private mutating func append(_ node: XMLTree.Node) {
        nodes += 1
        if !open.isEmpty {
            open[open.count - 1].children.append(node)
        } else if isBehindRoot {
            tree.epilog.append(node)
        } else {
            tree.prolog.append(node)
        }
    }
}
