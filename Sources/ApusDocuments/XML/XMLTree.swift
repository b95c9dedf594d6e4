public import ApusCore
public import Foundation

/// A complete XML document as a value.
///
/// ```swift
/// let feed = try await session.get("https://api.example.org/feed").validate().xml()
/// for item in feed.root.elements(at: "channel/item") {
///     print(item["title"]?.text ?? "untitled", item.attribute("id") ?? "")
/// }
/// ```
///
/// It contains everything that `XMLEventParser` reads. `description` writes it as XML.
public struct XMLTree: Sendable, Hashable {
    /// The content of an element.
    public enum Node: Sendable, Hashable {
        /// An element.
        case element(Element)
        /// Text, with its references resolved.
        case text(String)
        /// The text of a CDATA section.
        case cdata(String)
        /// The text of a comment.
        case comment(String)
        /// A processing instruction.
        case processingInstruction(target: String, data: String?)
    }

    /// An element: its name, its attributes and its children.
    public struct Element: Sendable, Hashable {
        /// The name.
        public var name: XMLName
        /// The attributes in document order, including namespace declarations.
        public var attributes: [XMLAttribute]
        /// The children in document order.
        public var children: [Node]

        /// Creates an element.
        public init(_ name: XMLName, attributes: [XMLAttribute] = [], children: [Node] = []) {
            self.name = name
            self.attributes = attributes
            self.children = children
        }
    }

    /// The maximum nesting depth of a tree's elements: 256. Trees are destroyed recursively, and some threads have
    /// small stacks. `XMLEventParser` has no such limit.
    public static let deepestNesting = 256

    /// The XML declaration. `nil` if there is none.
    public var declaration: XMLDeclaration?
    /// The document type. `nil` if there is none.
    public var documentType: XMLDocumentType?
    /// The comments and instructions before the root element.
    public var prolog: [Node] = []
    /// The root element.
    public var root: Element
    /// The comments and instructions after the root element.
    public var epilog: [Node] = []

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - root: The root element.
    ///   - declaration: The XML declaration. Default: version 1.0 and UTF-8.
    public init(root: Element, declaration: XMLDeclaration? = XMLDeclaration()) {
        self.root = root
        self.declaration = declaration
    }

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - encoding: The encoding from outside of the document. With `nil` it is detected. Default: `nil`.
    ///   - limits: The limits for the document.
    /// - Throws: `ApusError` with the code `decodingFailed` and the line and column.
    public init(
        _ data: Data,
        encoding: String.Encoding? = nil,
        limits: XMLLimits = XMLLimits()
    ) throws(ApusError) {
        try self.init(data, charset: encoding.map { Charset($0) }, limits: limits)
    }

    /// Parses a document in a charset from outside of it. With `nil` the charset is detected.
    package init(_ data: Data, charset: Charset?, limits: XMLLimits) throws(ApusError) {
        var limits = limits
        limits.maximumDepth = min(limits.maximumDepth, XMLTree.deepestNesting)
        var events = try XMLEventParser(data, charset: charset, limits: limits)
        self = try XMLTreeBuilder.build(&events)
    }
}
