import ApusEngine
import HTTPTypes

/// The bytes of a server's frames. Independent of the codec under test.
enum ServerFrame {
    static func frame(
        _ kind: FrameKind,
        flags: UInt8 = 0,
        stream: Int32 = 0,
        _ payload: some Collection<UInt8>
    ) -> [UInt8] {
        var bytes = Array(big(UInt32(payload.count)).dropFirst())
        bytes.append(kind.rawValue)
        bytes.append(flags)
        bytes.append(contentsOf: big(UInt32(bitPattern: stream)))
        bytes.append(contentsOf: payload)
        return bytes
    }

    static func data(_ stream: Int32, _ content: ArraySlice<UInt8>, ends: Bool = false) -> [UInt8] {
        frame(.data, flags: ends ? FrameFlag.endStream : 0, stream: stream, content)
    }

    /// Returns HEADERS, and CONTINUATION frames if the block is long.
    static func headers(_ stream: Int32, _ lines: [(String, String)], ends: Bool = false) -> [UInt8] {
        var rest = block(lines)[...]
        var bytes: [UInt8] = []
        var kind = FrameKind.headers
        var flags = ends ? FrameFlag.endStream : 0
        repeat {
            let part = rest.prefix(ClientFrameReader.largestPayload)
            rest = rest.dropFirst(part.count)
            if rest.isEmpty { flags |= FrameFlag.endHeaders }
            bytes.append(contentsOf: frame(kind, flags: flags, stream: stream, part))
            kind = .continuation
            flags = 0
        } while !rest.isEmpty
        return bytes
    }

    static func reset(_ stream: Int32, _ code: HTTP2ErrorCode) -> [UInt8] {
        frame(.reset, stream: stream, big(code.rawValue))
    }

    static func settings(_ settings: [HTTP2ServerSetting]) -> [UInt8] {
        frame(.settings, settings.flatMap(\.bytes))
    }

    static var settingsAcknowledgement: [UInt8] {
        frame(.settings, flags: FrameFlag.acknowledgement, [UInt8]())
    }

    static func ping(_ token: [UInt8], isAcknowledgement: Bool = false) -> [UInt8] {
        frame(.ping, flags: isAcknowledgement ? FrameFlag.acknowledgement : 0, token)
    }

    static func goAway(_ lastStream: Int32, _ code: HTTP2ErrorCode, _ text: String = "") -> [UInt8] {
        frame(.goAway, big(UInt32(bitPattern: lastStream)) + big(code.rawValue) + Array(text.utf8))
    }

    static func windowUpdate(_ stream: Int32, by count: Int) -> [UInt8] {
        frame(.windowUpdate, stream: stream, big(UInt32(count)))
    }

    /// Returns a number with the most significant byte first.
    static func big(_ number: UInt32) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
            UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
        ]
    }

    // MARK: Header blocks

    /// Returns a block of literals without indexing and without Huffman coding, so that blocks have no order.
    private static func block(_ lines: [(String, String)]) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in lines {
            block.append(0)
            block.append(contentsOf: text(name))
            block.append(contentsOf: text(value))
        }
        return block
    }

    private static func text(_ text: String) -> [UInt8] {
        length(text.utf8.count) + Array(text.utf8)
    }

    /// Returns an integer with a prefix of 7 bits, RFC 7541 §5.1.
    private static func length(_ length: Int) -> [UInt8] {
        guard length >= 127 else { return [UInt8(length)] }
        var bytes: [UInt8] = [127]
        var rest = length - 127
        while rest >= 128 {
            bytes.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        bytes.append(UInt8(rest))
        return bytes
    }
}
