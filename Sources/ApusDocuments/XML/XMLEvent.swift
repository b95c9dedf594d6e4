/// The parts of a document, in document order.
public enum XMLEvent: Sendable, Hashable {
    /// The XML declaration. If present, it is the first event.
    case declaration(XMLDeclaration)
    /// The document type, before the root element.
    case documentType(XMLDocumentType)
    /// The start of an element. Its attributes are in document order and include namespace declarations.
    case startElement(XMLName, attributes: [XMLAttribute])
    /// The end of an element. `<a/>` has a start and an end.
    case endElement(XMLName)
    /// The whole text up to the next markup, with its references resolved.
    case text(String)
    /// The text of a CDATA section.
    case cdata(String)
    /// The text of a comment.
    case comment(String)
    /// A processing instruction.
    case processingInstruction(target: String, data: String?)
}

/// The XML declaration of a document.
public struct XMLDeclaration: Sendable, Hashable {
    /// The version. Default: `1.0`.
    public var version: String
    /// The declared encoding of the document.
    public var encoding: String?
    /// Whether the document is declared as standalone.
    public var isStandalone: Bool?

    /// Creates a declaration.
    public init(version: String = "1.0", encoding: String? = "UTF-8", isStandalone: Bool? = nil) {
        self.version = version
        self.encoding = encoding
        self.isStandalone = isStandalone
    }
}

/// The document type declaration of a document. External identifiers are never fetched, and internal declarations are
/// discarded.
public struct XMLDocumentType: Sendable, Hashable {
    /// The name of the root element.
    public var name: String
    /// The public identifier.
    public var publicID: String?
    /// The system identifier, usually a URI.
    public var systemID: String?

    /// Creates a document type.
    public init(name: String, publicID: String? = nil, systemID: String? = nil) {
        self.name = name
        self.publicID = publicID
        self.systemID = systemID
    }
}

/// A position in a document.
public struct XMLPosition: Sendable, Hashable, CustomStringConvertible {
    /// The line, starting at 1.
    public internal(set) var line = 1
    /// The column in characters, starting at 1.
    public internal(set) var column = 1

    /// The position as in error messages.
    public var description: String { "line \(line), column \(column)" }
}

extension XMLPosition {
    /// Advances over `bytes`. A line ends with LF, CR, or CR LF.
    mutating func advance<Bytes: Collection<UInt8>>(over bytes: Bytes) {
        var afterReturn = false
        for byte in bytes {
            switch byte {
            case 0x0A where afterReturn: break
            case 0x0A, 0x0D:
                line += 1
                column = 1
            default:
                // Continuation bytes of a character do not count.
                if byte & 0xC0 != 0x80 { column += 1 }
            }
            afterReturn = byte == 0x0D
        }
    }
}
