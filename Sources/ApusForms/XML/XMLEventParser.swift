public import ApusCore
public import Foundation

/// Reads a document event by event, without building anything of it.
///
/// ```swift
/// var events = try XMLEventParser(data)
/// var titles: [String] = []
/// while let event = try events.next() {
///     if case .text(let text) = event { titles.append(text) }
/// }
/// ```
///
/// It is strict: what is not well-formed is an error that says the line and the column. Whoever has read enough just
/// stops asking; the rest of the document is then not looked at, except that its characters were.
///
/// Nothing outside of the document is ever read: no file, no URI, no document type that it names. A document that
/// declares entities is refused. Default values of attributes that it declares are not filled in.
///
/// See XML 1.0, https://www.w3.org/TR/xml/, and Namespaces in XML, https://www.w3.org/TR/xml-names/
public struct XMLEventParser: Sendable {
    /// An element that has not ended yet: its name, and where that stands in the document.
    struct OpenElement: Sendable {
        let name: XMLName
        let written: Range<Int>
    }

    /// Where in a document the parser is.
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
    /// Whether the element that began last had the form `<a/>`, so that its end is the next event.
    var endsAtOnce = false
    let limits: XMLLimits

    /// Where the last event stands in `document`, with the white space ahead of it if it is outside of the root element;
    /// the end of `<a/>` has nothing of its own.
    package private(set) var range = 0..<0

    private var failure: ApusError?
    /// Where the place was counted last.
    private var counted = (offset: 0, position: XMLPosition())

    /// Looks at the bytes of a document: they are turned into UTF-8, and must be characters that XML allows.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - encoding: The encoding by what came with the document, such as its content type. `nil` (the default) believes
    ///     the document: its byte order mark, its declaration, else UTF-8. A mark is believed in any case.
    ///   - limits: What the document may cost.
    /// - Throws: `ApusError` with the code `decodingFailed`.
    public init(
        _ data: Data,
        encoding: String.Encoding? = nil,
        limits: XMLLimits = XMLLimits()
    ) throws(ApusError) {
        try self.init(data, charset: encoding.map { Charset($0) }, limits: limits)
    }

    /// With `keepsReturns`, a carriage return stays what it is, instead of becoming the end of a line.
    package init(
        _ data: Data,
        charset: Charset?,
        limits: XMLLimits,
        keepsReturns: Bool = false
    ) throws(ApusError) {
        guard data.count <= limits.maximumBytes else {
            throw ApusError(
                .decodingFailed,
                "the XML has \(data.count) bytes, and \(limits.maximumBytes) are allowed; raise XMLLimits.maximumBytes"
            )
        }
        self.scanner = XMLScanner(try XMLText.utf8(data, stated: charset, keepsReturns: keepsReturns))
        self.limits = limits
    }

    /// Reads on.
    ///
    /// - Returns: The next event; `nil` at the end of the document.
    /// - Throws: `ApusError` with the code `decodingFailed`, and the same one each time it is asked again.
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

    /// Reads the rest, event by event; what `handler` throws ends it.
    public mutating func parse(_ handler: (XMLEvent) throws -> Void) throws {
        while let event = try next() { try handler(event) }
    }

    /// The document in UTF-8, without its byte order mark.
    package var document: [UInt8] { scanner.bytes }

    /// The place behind the last event.
    public var position: XMLPosition {
        mutating get {
            counted.position.advance(over: scanner.bytes[counted.offset..<scanner.index])
            counted.offset = scanner.index
            return counted.position
        }
    }

    /// How many elements are open.
    public var depth: Int { open.count }
}
