internal import ApusCore
internal import ApusJSON

/// The order of a document's parts: XML 1.0 §2.1, §2.8 and §3.
extension XMLEventParser {
    mutating func advance() throws(XMLFault) -> XMLEvent? {
        if endsAtOnce {
            endsAtOnce = false
            return close()
        }
        switch stage {
        case .beginning:
            stage = .prolog(hasDocumentType: false)
            if let declaration = try scanner.declaration() { return .declaration(declaration) }
            return try outside()
        case .prolog, .epilog:
            return try outside()
        case .content:
            return scanner.byte == UInt8(ascii: "<") ? try markup() : try text()
        }
    }

    /// Reads the parts before and after the root element.
    private mutating func outside() throws(XMLFault) -> XMLEvent? {
        scanner.skipWhitespace()
        if scanner.isAtEnd {
            if case .epilog = stage { return nil }
            throw scanner.fault("there is no element")
        }
        if let event = try comment() { return event }
        if case .prolog(let hasDocumentType) = stage {
            if !hasDocumentType, scanner.skip("<!DOCTYPE") {
                stage = .prolog(hasDocumentType: true)
                return .documentType(try scanner.documentType())
            }
            if scanner.byte == UInt8(ascii: "<") { return try startElement() }
            throw scanner.fault("there is text where an element is expected")
        }
        throw scanner.fault("there is content after the end of the root element")
    }

    /// Reads a comment or a processing instruction, which may occur anywhere. Returns `nil` for other markup.
    private mutating func comment() throws(XMLFault) -> XMLEvent? {
        if scanner.skip("<!--") { return .comment(scanner.string(try scanner.comment())) }
        if scanner.skip("<?") {
            let (target, data) = try scanner.instruction()
            return .processingInstruction(target: target, data: data)
        }
        return nil
    }

    private mutating func markup() throws(XMLFault) -> XMLEvent {
        if scanner.skip("</") { return try endElement() }
        if let event = try comment() { return event }
        if scanner.skip("<![CDATA[") {
            return .cdata(scanner.string(try scanner.content(upTo: "]]>", of: "a CDATA section")))
        }
        return try startElement()
    }

    /// Reads text up to the next markup.
    private mutating func text() throws(XMLFault) -> XMLEvent {
        var start = scanner.index
        var gathered: [UInt8] = []
        let bytes = scanner.bytes
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "<"):
                scanner.index = index
                if gathered.isEmpty { return .text(scanner.string(start..<index)) }
                gathered += bytes[start..<index]
                return .text(String(decoding: gathered, as: UTF8.self))
            case UInt8(ascii: "&"):
                gathered += bytes[start..<index]
                scanner.index = index
                try scanner.reference(into: &gathered)
                index = scanner.index
                start = index
            case UInt8(ascii: "]"):
                scanner.index = index
                guard !scanner.has("]]>") else { throw scanner.fault("there is ']]>' outside a CDATA section") }
                index += 1
            default:
                index += 1
            }
        }
        scanner.index = index
        throw scanner.fault("the element \(openName) is not closed")
    }

    /// The name of the innermost open element, quoted for error messages.
    var openName: String {
        Excerpt.quoted(open.last?.name.qualified ?? "")
    }
}
