internal import Apus
internal import ApusDocuments
internal import Foundation

/// The tokens of an XML document, unprocessed: entity and character references are not resolved.
struct XMLMarkup {
    struct Token: Equatable {
        enum Kind: Equatable {
            case begin, end, empty
            case text
            case characterData
            case comment
            /// A processing instruction, or the XML declaration, which has the same syntax.
            case instruction
            case documentType
        }

        var kind: Kind
        var range: Range<Int>
    }

    /// The maximum depth. Deeper text is rejected, as with JSON.
    static let depthLimit = JSONFormatter.depthLimit

    /// The document in UTF-8.
    let text: [UInt8]
    /// All of the text except white space outside the root element.
    private(set) var tokens: [Token] = []
    /// The indices of the tokens that begin an element with `xml:space="preserve"`.
    private(set) var preserving: Set<Int> = []

    /// Splits a document into tokens. Returns `nil` if it is not well-formed or declares entities.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - isUTF8: Whether it is known to be UTF-8, regardless of its XML declaration.
    init?(_ bytes: [UInt8], isUTF8: Bool) {
        let limits = XMLLimits(maximumBytes: .max, maximumDepth: Self.depthLimit)
        do throws(ApusError) {
            var events = try XMLEventParser(
                Data(bytes),
                charset: isUTF8 ? .utf8 : nil,
                limits: limits,
                keepsReturns: true
            )
            text = events.document
            while let event = try events.next() { take(event, events.range) }
        } catch {
            return nil
        }
    }

    private mutating func take(_ event: XMLEvent, _ range: Range<Int>) {
        let kind: Token.Kind
        switch event {
        case .startElement(_, let attributes):
            kind = .begin
            let preserves = attributes.contains { $0.name.qualified == "xml:space" && $0.value == "preserve" }
            if preserves { preserving.insert(tokens.count) }
        case .endElement:
            guard !range.isEmpty else {
                tokens[tokens.count - 1].kind = .empty
                return
            }
            kind = .end
        case .text: kind = .text
        case .cdata: kind = .characterData
        case .comment: kind = .comment
        case .declaration, .processingInstruction: kind = .instruction
        case .documentType: kind = .documentType
        }
        let begin = kind == .text ? range.lowerBound : text[range].firstIndex { !Self.isSpace($0) } ?? range.lowerBound
        tokens.append(Token(kind: kind, range: begin..<range.upperBound))
    }

    /// Whether a token consists only of white space.
    func isBlank(_ token: Token) -> Bool { text[token.range].allSatisfy(Self.isSpace) }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
