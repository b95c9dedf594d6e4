internal import ApusEngine
internal import NIOCore

/// A header block that was read in two ways: by the HPACK decoder, and only for the representation of each line.
struct HTTP2MessageBlock {
    /// The representations of a line (RFC 7541 §6), and a change of the table's size.
    enum Kind: Equatable, Sendable {
        case indexed
        case incremental
        case notIndexed
        case neverIndexed
        case sizeUpdate
        case truncated
    }

    let bytes: [UInt8]
    let lines: [HTTP2MessageLine]
    /// The representation of each line.
    let kinds: [Kind]

    init(_ block: ByteBuffer, by decoder: inout HPACKDecoder) throws {
        bytes = Array(block.readableBytesView)
        var lines: [HTTP2MessageLine] = []
        try decoder.decode(block) { (line: HPACKHeader) -> Bool in
            lines.append(HTTP2MessageLine(line))
            return true
        }
        self.lines = lines
        kinds = Self.representations(bytes).filter { (kind: Kind) -> Bool in kind != .sizeUpdate }
    }

    var text: [String] { lines.map(\.description) }

    /// The lines without the pseudo fields.
    var fields: [String] { text.filter { (line: String) -> Bool in !line.hasPrefix(":") } }

    /// Returns the representations of the lines with a name.
    func representations(of name: String) -> [Kind] {
        zip(lines, kinds).compactMap { (line: HTTP2MessageLine, kind: Kind) -> Kind? in
            line.name == Array(name.utf8) ? kind : nil
        }
    }

    private static func representations(_ bytes: [UInt8]) -> [Kind] {
        var kinds: [Kind] = []
        var index = 0
        while index < bytes.count {
            let first = bytes[index]
            let kind: Kind
            let prefix: Int
            if first >= 0x80 {
                (kind, prefix) = (.indexed, 7)
            } else if first >= 0x40 {
                (kind, prefix) = (.incremental, 6)
            } else if first >= 0x20 {
                (kind, prefix) = (.sizeUpdate, 5)
            } else {
                (kind, prefix) = (first >= 0x10 ? .neverIndexed : .notIndexed, 4)
            }
            let number = integer(bytes, &index, prefix: prefix)
            if kind != .indexed, kind != .sizeUpdate {
                if number == 0 { skipString(bytes, &index) }
                skipString(bytes, &index)
            }
            kinds.append(index > bytes.count ? .truncated : kind)
        }
        return kinds
    }

    private static func skipString(_ bytes: [UInt8], _ index: inout Int) {
        let length = integer(bytes, &index, prefix: 7)
        index += length
    }

    private static func integer(_ bytes: [UInt8], _ index: inout Int, prefix: Int) -> Int {
        let mask = (1 << prefix) - 1
        var value = index < bytes.count ? Int(bytes[index]) & mask : 0
        index += 1
        guard value == mask else { return value }
        var shift = 0
        while index < bytes.count, shift < 28 {
            let byte = Int(bytes[index])
            index += 1
            value += (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        }
        return value
    }
}
