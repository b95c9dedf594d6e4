public import ApusCore
public import Foundation

/// Parses a document event by event, without building a tree.
///
/// ```swift
/// var events = try XMLEventParser(data)
/// var titles: [String] = []
/// while let event = try events.next() {
///     if case .text(let text) = event { titles.append(text) }
/// }
/// ```
///
/// It is strict: a document that is not well-formed is an error with line and column. A caller may stop at any event.
/// The rest of the document is then not parsed, except that its characters were validated.
///
/// Nothing outside of the document is ever read: no file, no URI, no external document type. A document that declares
/// entities is rejected. Declared default values of attributes are ignored.
///
/// See XML 1.0, https://www.w3.org/TR/xml/, and Namespaces in XML, https://www.w3.org/TR/xml-names/
public struct XMLEventParser: Sendable {
    /// An element that has not ended: its name, and the range of that name in the document.
    struct OpenElement: Sendable {
        let name: XMLName
        let written: Range<Int>
    }

    /// The position of the parser in the structure of a document.
    enum Stage: Sendable {
        case beginning
        case prolog(hasDocumentType: Bool)
        case content
        case epilog
    }

    var scanner: XMLScanner
    var namespaces = XMLNamespaces()
    var open: [OpenElement] = []
    var stage = Stage.beginning
    /// Whether the last start tag had the form `<a/>`, so that its end is the next event.
    var endsAtOnce = false
    let limits: XMLLimits

    /// The range of the last event in `document`, with white space before it if outside of the root element. Empty for
    /// the end of `<a/>`.
    package private(set) var range = 0..<0

    private var failure: ApusError?
    /// The offset and position of the last line count.
    private var counted = (offset: 0, position: XMLPosition())

    /// Creates a parser. Converts the document to UTF-8 and checks that XML allows all its characters.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - encoding: The encoding stated outside of the document, as in its content type. With `nil` it is detected by
    ///     the byte order mark or the declaration, else UTF-8. A byte order mark has precedence. Default: `nil`.
    ///   - limits: The limits for the document.
    /// - Throws: `ApusError` with the code `decodingFailed`.
    public init(
        _ data: Data,
        encoding: String.Encoding? = nil,
        limits: XMLLimits = XMLLimits()
    ) throws(ApusError) {
        try self.init(data, charset: encoding.map { Charset($0) }, limits: limits)
    }

    /// Creates a parser. With `keepsReturns`, carriage returns are kept instead of being converted to line feeds.
    package init(
        _ data: Data,
        charset: Charset?,
        limits: XMLLimits,
        keepsReturns: Bool = false
    ) throws(ApusError) {
        guard data.count <= limits.maximumBytes else {
            throw ApusError(
                .decodingFailed,
                "the XML has \(data.count) bytes, but \(limits.maximumBytes) are allowed; raise XMLLimits.maximumBytes"
            )
        }
        self.scanner = XMLScanner(try XMLText.utf8(data, stated: charset, keepsReturns: keepsReturns))
        self.limits = limits
    }

    /// Parses the next event.
    ///
    /// - Returns: The next event, or `nil` at the end of the document.
    /// - Throws: `ApusError` with the code `decodingFailed`. Further calls throw the same error.
    public mutating func next() throws(ApusError) -> XMLEvent? {
        if let failure { throw failure }
        do throws(XMLFault) {
            let begin = scanner.index
            let event = try advance()
            range = begin..<scanner.index
            return event
        } catch {
            let error = error.error(in: scanner.bytes)
            failure = error
            throw error
        }
    }

    /// Parses the remaining events. Stops if `handler` throws, and rethrows its error.
    public mutating func parse(_ handler: (XMLEvent) throws -> Void) throws {
        while let event = try next() { try handler(event) }
    }

    /// The document in UTF-8, without its byte order mark.
    package var document: [UInt8] { scanner.bytes }

    /// The position after the last event.
    public var position: XMLPosition {
        mutating get {
            counted.position.advance(over: scanner.bytes[counted.offset..<scanner.index])
            counted.offset = scanner.index
            return counted.position
        }
    }

    /// The number of open elements.
    public var depth: Int { open.count }
}
