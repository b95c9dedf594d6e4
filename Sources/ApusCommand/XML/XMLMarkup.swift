internal import Apus
internal import Foundation

/// The pieces that the text of an XML document is made of, as they stand there: nothing in them is resolved.
struct XMLMarkup {
    struct Token: Equatable {
        enum Kind: Equatable {
            case begin, end, empty
            case text
            case characterData
            case comment
            /// The XML declaration is written like one.
            case instruction
            case documentType
        }

        var kind: Kind
        var range: Range<Int>
    }

    /// Deeper text is refused, as with JSON.
    static let depthLimit = JSONFormatter.depthLimit

    /// The document in UTF-8.
    let text: [UInt8]
    /// All of the text but for white space outside of the root element.
    private(set) var tokens: [Token] = []
    /// Which tokens begin an element that says that white space in it means something: `xml:space="preserve"`.
    private(set) var preserving: Set<Int> = []

    /// Takes a document apart; `nil` where it is not well-formed, or declares entities.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - isUTF8: Whether it is known to be UTF-8, whatever it says itself.
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

    /// Whether there is nothing but white space in a token.
    func isBlank(_ token: Token) -> Bool { text[token.range].allSatisfy(Self.isSpace) }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
