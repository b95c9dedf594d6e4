internal import ApusCore
internal import Foundation

/// A record as a line of the log: the length and the checksum of its JSON text, each in 8 hexadecimal digits and
/// followed by a space, then the text and a line feed.
///
/// ```
/// 0000003c 5f1d2c47 {"event":"paused","id":"6f1c…"}
/// ```
///
/// The text has no line feed, since JSON escapes it in strings. So a reader finds the next record behind a damaged one.
enum RecordLine {
    /// The line feed at the end of a line.
    static let terminator = UInt8(ascii: "\n")
    private static let headBytes = 18

    /// Returns the line of a record.
    ///
    /// - Throws: `ApusError` with the code `invalidRequest` if the record is too long.
    static func bytes(of record: TransferRecord) throws(ApusError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text: Data
        do {
            text = try encoder.encode(record)
        } catch {
            throw ApusError(wrapping: error, as: .invalidRequest)
        }
        guard text.count <= QueueLimits.recordBytes else {
            throw ApusError(
                .invalidRequest,
                "the transfer has \(text.count) bytes as a record; \(QueueLimits.recordBytes >> 10) KiB are allowed"
            )
        }
        let length = text.count.padded(to: 8, radix: 16)
        let checksum = RecordChecksum.of(text).padded(to: 8, radix: 16)
        return Array("\(length) \(checksum) ".utf8) + Array(text) + [terminator]
    }

    /// Returns the range of an intact JSON text, whose line begins at a position and has at least one byte more. `nil`
    /// if there is none.
    static func text(in bytes: [UInt8], at position: Int) -> Range<Int>? {
        let start = position + headBytes
        guard start < bytes.count, bytes[position + 8] == space, bytes[position + 17] == space,
            let length = number(bytes[position..<position + 8]), (1...QueueLimits.recordBytes).contains(length),
            let checksum = number(bytes[position + 9..<position + 17]), start + length < bytes.count
        else { return nil }
        let range = start..<start + length
        return RecordChecksum.of(bytes[range]) == checksum ? range : nil
    }

    private static let space = UInt8(ascii: " ")

    /// Returns the number that hexadecimal digits in lower case stand for.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: number = number << 4 | Int(digit - 0x30)
            case 0x61...0x66: number = number << 4 | Int(digit - 0x61 + 10)
            default: return nil
            }
        }
        return number
    }
}
