/// The markup before the root element: XML 1.0 §2.8.
extension XMLScanner {
    /// Reads the XML declaration, which is in ASCII. Returns `nil` if there is none.
    mutating func declaration() throws(XMLFault) -> XMLDeclaration? {
        guard has("<?xml"), index + 5 < bytes.count, XMLCharacters.isWhitespace(bytes[index + 5]) else { return nil }
        index += 5
        guard let version = try pseudoAttribute("version") else {
            throw fault("the XML declaration does not begin with the version")
        }
        guard version.hasPrefix("1."), version.count > 2, version.utf8.dropFirst(2).allSatisfy(XMLScanner.isDigit)
        else {
            throw fault("the version of the XML is not 1.0")
        }
        var declaration = XMLDeclaration(version: version, encoding: try pseudoAttribute("encoding"))
        if let encoding = declaration.encoding, !XMLScanner.isEncodingName(encoding) {
            throw fault("the XML declaration has an invalid encoding name")
        }
        switch try pseudoAttribute("standalone") {
        case nil: break
        case "yes": declaration.isStandalone = true
        case "no": declaration.isStandalone = false
        default: throw fault("'standalone' is neither yes nor no")
        }
        skipWhitespace()
        guard skip("?>") else { throw fault("the XML declaration has unexpected content") }
        return declaration
    }

    /// Reads the document type. The scanner is after its `<!DOCTYPE`.
    ///
    /// Its declarations are skipped. Entities are rejected, since a few lines of them can expand to more text than fits
    /// in memory, or include a local file.
    mutating func documentType() throws(XMLFault) -> XMLDocumentType {
        guard skipWhitespace() else { throw fault("there is no space after '<!DOCTYPE'") }
        var type = XMLDocumentType(name: string(try name(of: "the document type")))
        if skipWhitespace() {
            if skip("PUBLIC") {
                type.publicID = try identifier("the public identifier")
                type.systemID = try identifier("the system identifier")
            } else if skip("SYSTEM") {
                type.systemID = try identifier("the system identifier")
            }
            skipWhitespace()
        }
        if skip("[") {
            try skipInternalSubset()
            skipWhitespace()
        }
        guard skip(">") else { throw fault("the document type does not end with '>'") }
        return type
    }

    private mutating func pseudoAttribute(_ name: StaticString) throws(XMLFault) -> String? {
        let start = index
        guard skipWhitespace(), skip(name) else {
            index = start
            return nil
        }
        skipWhitespace()
        guard skip("=") else { throw fault("'\(name)' has no value") }
        skipWhitespace()
        return string(try quoted("the value of '\(name)'"))
    }

    private mutating func identifier(_ what: String) throws(XMLFault) -> String {
        guard skipWhitespace() else { throw fault("there is no space before \(what)") }
        return string(try quoted(what))
    }

    private mutating func skipInternalSubset() throws(XMLFault) {
        while true {
            skipWhitespace()
            if skip("]") { return }
            if has("<!ENTITY") || has("%") {
                throw fault("entities are declared, which is not allowed", .unsupported)
            }
            if skip("<!--") {
                _ = try comment()
            } else if skip("<?") {
                _ = try instruction()
            } else if skip("<!ELEMENT") || skip("<!ATTLIST") || skip("<!NOTATION") {
                try skipMarkupDeclaration()
            } else {
                throw fault(isAtEnd ? "the document type is not closed" : "this is not a declaration")
            }
        }
    }

    private mutating func skipMarkupDeclaration() throws(XMLFault) {
        while let byte {
            switch byte {
            case UInt8(ascii: ">"):
                index += 1
                return
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                _ = try quoted("a value")
            case UInt8(ascii: "<"):
                throw fault("there is a '<' inside a declaration")
            default:
                index += 1
            }
        }
        throw fault("a declaration is not closed")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isEncodingName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        return name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || isDigit(byte)
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
    }
}
