/// Writes well-formed XML.
struct XMLWriter {
    private(set) var text = ""

    mutating func write(_ tree: XMLTree) {
        if let declaration = tree.declaration { write(declaration) }
        for node in tree.prolog { writeOutside(node) }
        if let type = tree.documentType { write(type) }
        write(tree.root)
        for node in tree.epilog {
            text += "\n"
            write(node)
        }
    }

    /// Writes an element and its descendants, without recursion.
    mutating func write(_ root: XMLTree.Element) {
        var rest: [(name: String, children: ArraySlice<XMLTree.Node>)] = []
        open(root, &rest)
        while let last = rest.indices.last {
            guard let node = rest[last].children.popFirst() else {
                text += "</\(rest[last].name)>"
                rest.removeLast()
                continue
            }
            if case .element(let element) = node {
                open(element, &rest)
            } else {
                write(node)
            }
        }
    }

    private mutating func open(
        _ element: XMLTree.Element,
        _ rest: inout [(name: String, children: ArraySlice<XMLTree.Node>)]
    ) {
        let name = XMLWriter.name(element.name.qualified)
        text += "<\(name)"
        for attribute in element.attributes {
            text += " \(XMLWriter.name(attribute.name.qualified))=\""
            text += XMLWriter.escape(attribute.value, inAttribute: true)
            text += "\""
        }
        if element.children.isEmpty {
            text += "/>"
        } else {
            text += ">"
            rest.append((name, element.children[...]))
        }
    }

    private mutating func writeOutside(_ node: XMLTree.Node) {
        write(node)
        text += "\n"
    }

    private mutating func write(_ node: XMLTree.Node) {
        switch node {
        case .element(let element):
            write(element)
        case .text(let piece):
            text += XMLWriter.escape(piece, inAttribute: false)
        case .cdata(let piece):
            let allowed = XMLWriter.allowed(piece).replacing("]]>", with: "]]]]><![CDATA[>")
            text += "<![CDATA[\(allowed)]]>"
        case .comment(let piece):
            text += "<!--\(XMLWriter.comment(piece))-->"
        case .processingInstruction(let target, let data):
            let data = data.map { " " + XMLWriter.allowed($0).replacing("?>", with: "? >") } ?? ""
            // The target `xml` is reserved for the declaration.
            let isReserved = target.lowercased() == "xml"
            text += "<?\(isReserved ? "_" : "")\(XMLWriter.name(target))\(data)?>"
        }
    }

    private mutating func write(_ declaration: XMLDeclaration) {
        text += "<?xml version=\"1.0\""
        if declaration.encoding != nil { text += " encoding=\"UTF-8\"" }
        if let isStandalone = declaration.isStandalone { text += " standalone=\"\(isStandalone ? "yes" : "no")\"" }
        text += "?>\n"
    }

    private mutating func write(_ type: XMLDocumentType) {
        text += "<!DOCTYPE \(XMLWriter.name(type.name))"
        if let publicID = type.publicID {
            text += " PUBLIC \(XMLWriter.quoted(publicID)) \(XMLWriter.quoted(type.systemID ?? ""))"
        } else if let systemID = type.systemID {
            text += " SYSTEM \(XMLWriter.quoted(systemID))"
        }
        text += ">\n"
    }
}

extension XMLWriter {
    /// Returns `string` with references for markup characters and for characters that a parser would normalize.
    static func escape(_ string: String, inAttribute: Bool) -> String {
        guard string.utf8.contains(where: isDelicate) else { return string }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(string.utf8.count)
        for byte in allowed(string).utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\"") where inAttribute: escaped += "&quot;".utf8
            case 0x0D: escaped += "&#13;".utf8
            case 0x0A where inAttribute: escaped += "&#10;".utf8
            case 0x09 where inAttribute: escaped += "&#9;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Returns whether a byte may need escaping or replacing.
    private static func isDelicate(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): true
        default: byte < 0x20 || byte >= 0x80
        }
    }

    /// Returns `string` with U+FFFD for each character that XML does not allow.
    static func allowed(_ string: String) -> String {
        guard !string.unicodeScalars.allSatisfy({ XMLCharacters.isAllowed($0.value) }) else { return string }
        var allowed = String.UnicodeScalarView()
        for scalar in string.unicodeScalars {
            allowed.append(XMLCharacters.isAllowed(scalar.value) ? scalar : "\u{FFFD}")
        }
        return String(allowed)
    }

    private static func comment(_ string: String) -> String {
        var comment = String.UnicodeScalarView()
        for scalar in allowed(string).unicodeScalars {
            if scalar == "-", comment.last == "-" { comment.append(" ") }
            comment.append(scalar)
        }
        if comment.last == "-" { comment.append(" ") }
        return String(comment)
    }

    /// Returns `name` with `_` for each character that names may not contain.
    private static func name(_ name: String) -> String {
        if XMLCharacters.isName(name) { return name }
        var repaired = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let isName = XMLCharacters.isName(repaired.isEmpty ? String(scalar) : "_\(scalar)")
            repaired.append(isName ? scalar : "_")
        }
        return repaired.isEmpty ? "_" : String(repaired)
    }

    /// Returns an identifier in quotation marks. It may contain either kind, but not both.
    private static func quoted(_ identifier: String) -> String {
        let allowed = allowed(identifier)
        return allowed.contains("\"") ? "'\(allowed.replacing("'", with: "%27"))'" : "\"\(allowed)\""
    }
}
