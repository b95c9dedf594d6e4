/// The ranges of the name and the attributes in a well-formed tag.
struct XMLTag {
    struct Attribute {
        let name: Range<Int>
        /// The value with its quotation marks.
        let value: Range<Int>
    }

    let name: Range<Int>
    private(set) var attributes: [Attribute] = []
    /// The end of the tag: `>` or `/>`.
    let end: Range<Int>

    /// Reads the start tag or end tag in `range` of `text`.
    init(_ text: [UInt8], in range: Range<Int>) {
        let begin = range.lowerBound + (text[range].dropFirst().first == UInt8(ascii: "/") ? 2 : 1)
        let endLength = text[range].dropLast().last == UInt8(ascii: "/") ? 2 : 1
        end = max(begin, range.upperBound - endLength)..<range.upperBound
        let isNoName = { (byte: UInt8) in XMLMarkup.isSpace(byte) || byte == UInt8(ascii: "=") }
        var rest = text[begin..<end.lowerBound]
        name = begin..<(rest.firstIndex(where: isNoName) ?? rest.endIndex)
        rest = rest[name.upperBound...].drop(while: XMLMarkup.isSpace)
        while let nameEnd = rest.firstIndex(where: isNoName),
            let opening = rest[nameEnd...].firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }),
            let closing = rest[(opening + 1)...].firstIndex(of: text[opening])
        {
            attributes.append(Attribute(name: rest.startIndex..<nameEnd, value: opening..<closing + 1))
            rest = rest[(closing + 1)...].drop(while: XMLMarkup.isSpace)
        }
    }
}
