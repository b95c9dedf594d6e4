internal import ApusJSON
internal import NIOCore

/// Removes the framing of a request's body (RFC 9112 §6, §7.1).
///
///     length:   bytes ─(none left)→ end
///     chunked:  size ─→ data ─→ data's CRLF ─→ size …
///                 └─(0)→ trailer lines ─(empty line)→ end
struct RequestBodyDecoder {
    enum Event {
        case bytes(ByteBuffer)
        /// The body has ended. The bytes are those of the trailer section.
        case end(trailers: [UInt8])
        case fault(String)
    }

    private enum State {
        case bytes(left: Int)
        case size
        case data(left: Int)
        case dataEnd
        case trailers
        case end
    }

    private var state: State
    private var trailers: [UInt8] = []

    init(_ framing: BodyFraming) {
        switch framing {
        case .none: state = .end
        case .length(let length): state = .bytes(left: length)
        case .chunked: state = .size
        }
    }

    /// Returns the next piece of the body, or nil if more input is needed.
    mutating func next(_ buffer: inout ByteBuffer) -> Event? {
        while true {
            switch state {
            case .end:
                return .end(trailers: trailers)
            case .bytes(let left):
                guard let slice = buffer.readSlice(length: min(left, buffer.readableBytes)), slice.readableBytes > 0
                else { return nil }
                state = slice.readableBytes == left ? .end : .bytes(left: left - slice.readableBytes)
                return .bytes(slice)
            case .data(let left):
                guard let slice = buffer.readSlice(length: min(left, buffer.readableBytes)), slice.readableBytes > 0
                else { return nil }
                state = slice.readableBytes == left ? .dataEnd : .data(left: left - slice.readableBytes)
                return .bytes(slice)
            case .dataEnd:
                guard let end = buffer.readBytes(length: 2) else { return nil }
                guard end == [0x0D, 0x0A] else { return .fault("no CRLF after a chunk") }
                state = .size
            case .size:
                switch Self.line(&buffer, limit: 256) {
                case .needsMore: return nil
                case .fault: return .fault("malformed chunk size")
                case .line(let line):
                    guard let size = Self.chunkSize(line) else { return .fault("malformed chunk size") }
                    state = size == 0 ? .trailers : .data(left: size)
                }
            case .trailers:
                switch Self.line(&buffer, limit: RequestHead.limit - trailers.count) {
                case .needsMore: return nil
                case .fault: return .fault("malformed trailer section")
                case .line(let line) where line.isEmpty: state = .end
                case .line(let line): trailers += line + [0x0D, 0x0A]
                }
            }
        }
    }

    private enum Line {
        case needsMore
        case line([UInt8])
        case fault
    }

    /// Reads a line up to CRLF and returns it without the CRLF. A bare LF is a fault.
    private static func line(_ buffer: inout ByteBuffer, limit: Int) -> Line {
        guard let feed = buffer.readableBytesView.prefix(limit).firstIndex(of: 0x0A) else {
            return buffer.readableBytes >= limit ? .fault : .needsMore
        }
        let length = feed - buffer.readerIndex + 1
        guard var line = buffer.readBytes(length: length), line.count >= 2, line[line.count - 2] == 0x0D else {
            return .fault
        }
        line.removeLast(2)
        return .line(line)
    }

    private static func chunkSize(_ line: [UInt8]) -> Int? {
        let digits = FieldLines.trimmed(line.prefix { $0 != UInt8(ascii: ";") })
        guard !digits.isEmpty, digits.count <= 15 else { return nil }
        var size = 0
        for digit in digits {
            guard let value = digit.hexadecimalValue else { return nil }
            size = size << 4 | Int(value)
        }
        return size
    }
}
