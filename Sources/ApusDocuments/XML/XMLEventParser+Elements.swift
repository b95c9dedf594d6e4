internal import ApusCore
internal import ApusJSON

/// The tags of elements: XML 1.0 §3.1, Namespaces in XML §6.
extension XMLEventParser {
    /// Reads the start tag of an element. The scanner is at its `<`.
    mutating func startElement() throws(XMLFault) -> XMLEvent {
        let start = scanner.index
        scanner.index += 1
        let written = try scanner.name(of: "an element")
        guard open.count < limits.maximumDepth else {
            throw XMLFault(
                "elements are nested deeper than \(limits.maximumDepth); XMLLimits.maximumDepth sets the limit",
                .limit,
                at: start
            )
        }
        var attributes: [XMLAttribute] = []
        var hasPrefixes = false
        while try hasAttribute() {
            guard attributes.count < limits.maximumAttributes else {
                throw scanner.fault(
                    "an element has more than \(limits.maximumAttributes) attributes; "
                        + "raise XMLLimits.maximumAttributes",
                    .limit
                )
            }
            attributes.append(try attribute(hasPrefixes: &hasPrefixes))
        }
        if hasPrefixes { qualify(&attributes) }
        try requireDistinct(attributes, from: start)
        let name = XMLName(
            scanner.string(written),
            namespace: namespaces.namespace(of: prefix(of: written).map(scanner.string) ?? "")
        )
        open.append(OpenElement(name: name, written: written))
        stage = .content
        return .startElement(name, attributes: attributes)
    }

    /// Reads the end tag of an element. The scanner is after its `</`.
    mutating func endElement() throws(XMLFault) -> XMLEvent {
        let start = scanner.index - 2
        let written = try scanner.name(of: "an element")
        scanner.skipWhitespace()
        guard scanner.skip(">") else { throw scanner.fault("an end tag does not end with '>'") }
        guard let element = open.last, scanner.bytes[written].elementsEqual(scanner.bytes[element.written]) else {
            throw XMLFault(
                "the element \(openName) is closed by an end tag of \(Excerpt.quoted(utf8: scanner.bytes[written]))",
                at: start
            )
        }
        return close()
    }

    /// Ends the innermost element.
    mutating func close() -> XMLEvent {
        namespaces.close(depth: open.count)
        let element = open.removeLast()
        if open.isEmpty { stage = .epilog }
        return .endElement(element.name)
    }

    /// Returns whether another attribute follows. If not, moves past the end of the tag.
    private mutating func hasAttribute() throws(XMLFault) -> Bool {
        let hasSpace = scanner.skipWhitespace()
        switch scanner.byte {
        case UInt8(ascii: ">"):
            scanner.index += 1
            return false
        case UInt8(ascii: "/"):
            guard scanner.skip("/>") else { throw scanner.fault("there is a '/' inside a tag") }
            endsAtOnce = true
            return false
        case nil:
            throw scanner.fault("a tag is not closed")
        default:
            guard hasSpace else { throw scanner.fault("there is no space before an attribute") }
            return true
        }
    }

    private mutating func attribute(hasPrefixes: inout Bool) throws(XMLFault) -> XMLAttribute {
        let written = try scanner.name(of: "an attribute")
        scanner.skipWhitespace()
        guard scanner.skip("=") else { throw scanner.fault("an attribute has no value") }
        scanner.skipWhitespace()
        let value = try attributeValue()
        let name = scanner.string(written)
        if name == "xmlns" {
            namespaces.declare("", as: value, depth: open.count + 1)
            return XMLAttribute(XMLName(name, namespace: XMLNamespaces.declarations), value)
        }
        if let prefix = prefix(of: written) {
            hasPrefixes = true
            if scanner.bytes[prefix].elementsEqual("xmlns".utf8) {
                namespaces.declare(
                    scanner.string(prefix.upperBound + 1..<written.upperBound),
                    as: value,
                    depth: open.count + 1
                )
            }
        }
        return XMLAttribute(XMLName(name), value)
    }

    /// Reads a value. White space in it becomes spaces, unless it is written as a reference.
    private mutating func attributeValue() throws(XMLFault) -> String {
        let opening = scanner.index
        let quote = scanner.byte
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw scanner.fault("the value of an attribute is not in quotation marks")
        }
        var start = opening + 1
        var gathered: [UInt8] = []
        let bytes = scanner.bytes
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case quote:
                scanner.index = index + 1
                if gathered.isEmpty { return scanner.string(start..<index) }
                gathered += bytes[start..<index]
                return String(decoding: gathered, as: UTF8.self)
            case UInt8(ascii: "<"):
                throw XMLFault("there is a '<' in the value of an attribute", at: index)
            case UInt8(ascii: "&"):
                gathered += bytes[start..<index]
                scanner.index = index
                try scanner.reference(into: &gathered)
                index = scanner.index
                start = index
            case 0x09, 0x0A, 0x0D:
                gathered += bytes[start..<index]
                gathered.append(0x20)
                index += 1
                start = index
            default:
                index += 1
            }
        }
        throw XMLFault("the value of an attribute is not closed", at: opening)
    }

    /// Returns the bytes of a name before its colon.
    private func prefix(of written: Range<Int>) -> Range<Int>? {
        XMLName.colon(in: scanner.bytes[written]).map { written.lowerBound..<$0 }
    }

    /// Sets the namespace of attributes with a prefix, once all declarations of the tag are known.
    private func qualify(_ attributes: inout [XMLAttribute]) {
        for index in attributes.indices {
            let name = attributes[index].name
            guard let prefix = name.prefix else { continue }
            attributes[index].name = XMLName(name.qualified, namespace: namespaces.namespace(of: prefix))
        }
    }

    /// Rejects two attributes with the same name, also under different prefixes.
    private func requireDistinct(_ attributes: [XMLAttribute], from start: Int) throws(XMLFault) {
        guard attributes.count > 1 else { return }
        // Most elements have few attributes, and comparing those is cheaper than a set.
        if attributes.count <= 8, attributes.allSatisfy({ $0.name.namespace == nil }) {
            for (index, attribute) in attributes.enumerated() {
                if attributes[..<index].contains(where: { $0.name.qualified.isSame(as: attribute.name.qualified) }) {
                    throw twice(attribute, from: start)
                }
            }
            return
        }
        var seen = Set<XMLName>()
        for attribute in attributes {
            let name = attribute.name
            // Within a namespace only the local name counts.
            let key = name.namespace.map { XMLName(name.local, namespace: $0) } ?? name
            guard seen.insert(key).inserted else { throw twice(attribute, from: start) }
        }
    }

    private func twice(_ attribute: XMLAttribute, from start: Int) -> XMLFault {
        XMLFault("an element has the attribute \(Excerpt.quoted(attribute.name.qualified)) twice", at: start)
    }
}
