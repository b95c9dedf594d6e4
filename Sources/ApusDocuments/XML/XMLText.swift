internal import ApusCore
internal import ApusJSON
internal import Foundation

/// Decodes the bytes of a document to UTF-8 and checks that XML allows its characters.
///
/// See XML 1.0 appendix F and RFC 7303 §3, https://www.rfc-editor.org/rfc/rfc7303.html#section-3
enum XMLText {
    /// Returns the document in UTF-8, without its byte order mark.
    ///
    /// - Parameters:
    ///   - data: The document as received.
    ///   - stated: The encoding from outside of the document. A byte order mark has precedence over it, and it has
    ///     precedence over the document's declaration.
    ///   - keepsReturns: Whether carriage returns are kept instead of being converted to line feeds.
    /// - Returns: The bytes, with allowed characters only.
    /// - Throws: `ApusError` with the code `decodingFailed`.
    static func utf8(_ data: Data, stated: Charset?, keepsReturns: Bool) throws(ApusError) -> [UInt8] {
        var bytes = try characters(data, stated: stated)
        var hasReturns = false
        do throws(XMLFault) {
            hasReturns = try check(bytes)
        } catch {
            throw error.error(in: bytes)
        }
        if hasReturns, !keepsReturns { endLinesWithLineFeeds(&bytes) }
        return bytes
    }

    private static func characters(_ data: Data, stated: Charset?) throws(ApusError) -> [UInt8] {
        let mark = ByteOrderMark(of: data)
        var charset = mark.map { .foundation($0.encoding) } ?? stated ?? unmarked(data) ?? .utf8
        if charset == .utf8, mark == nil, stated == nil { charset = try declared(data) }
        guard charset != .utf8 else { return [UInt8](data.dropFirst(mark?.length ?? 0)) }
        do throws(ApusError) {
            return Array(try CharacterSetDecoding.string(data, in: charset).utf8)
        } catch {
            throw ApusError(.decodingFailed, "the XML can't be decoded: \(error.detail)")
        }
    }

    /// Returns the encoding in which the document begins like any XML declaration.
    private static func unmarked(_ data: Data) -> Charset? {
        if data.starts(with: [0x3C, 0, 0x3F, 0]) { return .foundation(.utf16LittleEndian) }
        if data.starts(with: [0, 0x3C, 0, 0x3F]) { return .foundation(.utf16BigEndian) }
        return nil
    }

    /// Returns the encoding that the document declares, or UTF-8.
    private static func declared(_ data: Data) throws(ApusError) -> Charset {
        var scanner = XMLScanner([UInt8](data.prefix(1024)))
        var declaration: XMLDeclaration?
        do throws(XMLFault) {
            declaration = try scanner.declaration()
        } catch {
            throw error.error(in: scanner.bytes)
        }
        guard let name = declaration?.encoding else { return .utf8 }
        let shown = Excerpt.quoted(name)
        guard let charset = Charset(label: name) else {
            throw ApusError(.decodingFailed, "the XML can't be decoded: its encoding \(shown) is not supported")
        }
        // The declaration was read byte by byte, so wider code units contradict it.
        guard charset.unitBytes == 1 else {
            throw ApusError(.decodingFailed, "the XML is not well-formed: it is declared as \(shown), but is not")
        }
        return charset
    }

    /// Rejects invalid UTF-8 and characters not allowed by XML. Returns whether there are carriage returns.
    private static func check(_ bytes: [UInt8]) throws(XMLFault) -> Bool {
        var hasReturns = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte >= 0x20, byte < 0x80 {
                index += 1
            } else if byte < 0x80 {
                guard XMLCharacters.isAllowed(UInt32(byte)) else {
                    throw XMLFault("it has the control character \(byte)", at: index)
                }
                hasReturns = hasReturns || byte == 0x0D
                index += 1
            } else {
                index += try length(at: index, of: bytes)
            }
        }
        return hasReturns
    }

    /// Returns the number of bytes of a character outside of ASCII.
    private static func length(at index: Int, of bytes: [UInt8]) throws(XMLFault) -> Int {
        let first = bytes[index]
        let (length, least): (Int, UInt32) =
            switch first {
            case 0xC2...0xDF: (2, 0x80)
            case 0xE0...0xEF: (3, 0x800)
            case 0xF0...0xF4: (4, 0x1_0000)
            default: (0, 0)
            }
        guard length > 0, index + length <= bytes.count else { throw notUTF8(index) }
        var scalar = UInt32(first) & (0xFF >> UInt32(length + 1))
        for byte in bytes[index + 1..<index + length] {
            guard byte & 0xC0 == 0x80 else { throw notUTF8(index) }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        guard scalar >= least, !(0xD800...0xDFFF).contains(scalar), scalar <= 0x10_FFFF else { throw notUTF8(index) }
        guard XMLCharacters.isAllowed(scalar) else {
            throw XMLFault("it has the character U+\(String(scalar, radix: 16, uppercase: true))", at: index)
        }
        return length
    }

    private static func notUTF8(_ index: Int) -> XMLFault {
        XMLFault("the bytes are not UTF-8; declare another encoding", at: index)
    }

    /// Replaces CR and CR LF with a line feed: XML 1.0 §2.11.
    private static func endLinesWithLineFeeds(_ bytes: inout [UInt8]) {
        var end = 0
        var previous: UInt8 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            defer { previous = byte }
            if byte == 0x0A, previous == 0x0D { continue }
            bytes[end] = byte == 0x0D ? 0x0A : byte
            end += 1
        }
        bytes.removeSubrange(end...)
    }
}
