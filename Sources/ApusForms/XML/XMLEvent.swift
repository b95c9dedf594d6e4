/// What a document is made of, in the order in which it stands there.
public enum XMLEvent: Sendable, Hashable {
    /// The XML declaration, always the first event where there is one.
    case declaration(XMLDeclaration)
    /// The document type, before the root element.
    case documentType(XMLDocumentType)
    /// An element begins. Its attributes come in the order of the document, declarations of namespaces among them.
    case startElement(XMLName, attributes: [XMLAttribute])
    /// An element ends; `<a/>` begins and ends.
    case endElement(XMLName)
    /// All the text up to the next piece of markup, with the references in it resolved.
    case text(String)
    /// What stands in a CDATA section.
    case cdata(String)
    /// What stands in a comment.
    case comment(String)
    /// A processing instruction.
    case processingInstruction(target: String, data: String?)
}

/// The XML declaration of a document.
public struct XMLDeclaration: Sendable, Hashable {
    /// The version; `1.0`.
    public var version: String
    /// The encoding that the document says it came in.
    public var encoding: String?
    /// Whether the document says that it needs nothing from outside.
    public var isStandalone: Bool?

    /// Makes a declaration.
    public init(version: String = "1.0", encoding: String? = "UTF-8", isStandalone: Bool? = nil) {
        self.version = version
        self.encoding = encoding
        self.isStandalone = isStandalone
    }
}

/// The document type declaration of a document. What it names is never fetched, and what it declares between its
/// brackets is not kept.
public struct XMLDocumentType: Sendable, Hashable {
    /// The name of the root element.
    public var name: String
    /// The public identifier.
    public var publicID: String?
    /// The system identifier: a URI, most often.
    public var systemID: String?

    /// Makes a document type.
    public init(name: String, publicID: String? = nil, systemID: String? = nil) {
        self.name = name
        self.publicID = publicID
        self.systemID = systemID
    }
}

/// A place in a document.
public struct XMLPosition: Sendable, Hashable, CustomStringConvertible {
    /// The line, counted from 1.
    public internal(set) var line = 1
    /// The column in characters, counted from 1.
    public internal(set) var column = 1

    /// As an error says it.
    public var description: String { "line \(line), column \(column)" }
}

extension XMLPosition {
    /// Goes on over `bytes`. A line ends with LF, CR, or both.
    mutating func advance<Bytes: Collection<UInt8>>(over bytes: Bytes) {
        var afterReturn = false
        for byte in bytes {
            switch byte {
            case 0x0A where afterReturn: break
            case 0x0A, 0x0D:
                line += 1
                column = 1
            default:
                // Bytes that continue a character are none of their own.
                if byte & 0xC0 != 0x80 { column += 1 }
            }
            afterReturn = byte == 0x0D
        }
    }
}
