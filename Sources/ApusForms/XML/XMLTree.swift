public import ApusCore
public import Foundation

/// A whole XML document as a value.
///
/// ```swift
/// let feed = try await session.get("https://api.example.org/feed").validate().xml()
/// for item in feed.root.elements(at: "channel/item") {
///     print(item["title"]?.text ?? "untitled", item.attribute("id") ?? "")
/// }
/// ```
///
/// It is what `XMLEventParser` reads, with nothing left out: `description` writes it down again.
public struct XMLTree: Sendable, Hashable {
    /// What an element is made of.
    public enum Node: Sendable, Hashable {
        /// An element.
        case element(Element)
        /// Text, with the references in it resolved.
        case text(String)
        /// What stands in a CDATA section.
        case cdata(String)
        /// What stands in a comment.
        case comment(String)
        /// A processing instruction.
        case processingInstruction(target: String, data: String?)
    }

    /// An element: its name, its attributes, and what stands in it.
    public struct Element: Sendable, Hashable {
        /// Its name.
        public var name: XMLName
        /// Its attributes in their order, declarations of namespaces among them.
        public var attributes: [XMLAttribute]
        /// What stands in it, in its order.
        public var children: [Node]

        /// Makes an element.
        public init(_ name: XMLName, attributes: [XMLAttribute] = [], children: [Node] = []) {
            self.name = name
            self.attributes = attributes
            self.children = children
        }
    }

    /// How deep the elements of a document may be nested that becomes a tree: 256. Trees are taken apart again by
    /// recursion, and threads can have short stacks; `XMLEventParser` knows no such end.
    public static let deepestNesting = 256

    /// The XML declaration; `nil` where there is none.
    public var declaration: XMLDeclaration?
    /// The document type; `nil` where there is none.
    public var documentType: XMLDocumentType?
    /// The comments and instructions before the root element.
    public var prolog: [Node] = []
    /// The root element.
    public var root: Element
    /// The comments and instructions behind the root element.
    public var epilog: [Node] = []

    /// Makes a document.
    ///
    /// - Parameters:
    ///   - root: The root element.
    ///   - declaration: The XML declaration; of version 1.0 and UTF-8 by default.
    public init(root: Element, declaration: XMLDeclaration? = XMLDeclaration()) {
        self.root = root
        self.declaration = declaration
    }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - encoding: The encoding by what came with the document; `nil` (the default) believes the document.
    ///   - limits: What the document may cost.
    /// - Throws: `ApusError` with the code `decodingFailed`, the line and the column.
    public init(
        _ data: Data,
        encoding: String.Encoding? = nil,
        limits: XMLLimits = XMLLimits()
    ) throws(ApusError) {
        try self.init(data, charset: encoding.map { Charset($0) }, limits: limits)
    }

    /// Reads a document in the charset that came with it; `nil` believes the document.
    package init(_ data: Data, charset: Charset?, limits: XMLLimits) throws(ApusError) {
        var limits = limits
        limits.maximumDepth = min(limits.maximumDepth, XMLTree.deepestNesting)
        var events = try XMLEventParser(data, charset: charset, limits: limits)
        self = try XMLTreeBuilder.build(&events)
    }
}
