internal import HTTPTypes

@testable internal import ApusEngine

/// Turns the bytes of an input into frames of a server, valid and nearly valid ones, and into calls of the client.
///
/// Random bytes rarely have a valid header, so that raw inputs mostly end at their first frame.
struct HTTP2FuzzProgram {
    private static let largestByteCount = 12_000
    private static let largestStepCount = 200

    private typealias Kind = HTTP2Peer.Kind

    private var reader: HTTP2FuzzReader
    private var peer = HTTP2Peer()
    private var steps: [HTTP2FuzzStep] = []
    /// The bytes after the last call of the client.
    private var bytes: [UInt8] = []
    private var lastFrame: [UInt8] = []
    private var byteCount = 0

    init(_ content: ArraySlice<UInt8>) {
        reader = HTTP2FuzzReader(content)
    }

    mutating func run() -> [HTTP2FuzzStep] {
        while !reader.isAtEnd, byteCount < Self.largestByteCount, steps.count < Self.largestStepCount {
            let operation = reader.byte() & 0x3F
            if operation < 40 { addFrame(operation) } else { addCall(operation) }
        }
        endBytes()
        return steps
    }

    private mutating func emit(_ frame: [UInt8]) {
        bytes += frame
        lastFrame = frame
        byteCount += frame.count
    }

    private mutating func call(_ step: HTTP2FuzzStep) {
        endBytes()
        steps.append(step)
    }

    private mutating func endBytes() {
        if !bytes.isEmpty { steps.append(.bytes(bytes)) }
        bytes = []
    }

    /// Returns the number of a stream: mostly one that the client has opened, or may have.
    private mutating func stream() -> Int32 {
        let byte = reader.byte()
        guard byte >= 0xF0 else { return Int32(byte & 7) * 2 + 1 }
        let unusual: [Int32] = [0, 2, 17, 101, .max]
        return unusual[Int(byte & 0xF) % unusual.count]
    }

    // MARK: Calls

    private mutating func addCall(_ operation: UInt8) {
        switch operation {
        case 40, 41: call(.open(reader.pick([.get, .head, .post, .connect]), .none))
        case 42: call(.open(.post, reader.pick([.chunked, .length(0), .length(300)])))
        case 43, 44:
            let stream = self.stream()
            call(.send(stream, count: reader.number() * 300, endStream: reader.chance()))
        case 45: call(.endRequest(stream(), hasTrailers: reader.chance()))
        case 46, 47: call(.consume(stream(), count: reader.number() * 16 - 16))
        case 48, 49: call(.consumeAll)
        case 50, 51: call(.cancel(stream()))
        case 52: call(.ping(UInt64(reader.byte())))
        case 53: call(.pass(nanoseconds: UInt64(reader.byte()) * 10_000_000))
        case 54: call(.roundTrip(nanoseconds: UInt64(reader.byte()) * 1_000_000))
        case 55: call(.hold(true))
        case 56...58: call(.hold(false))
        case 59: if reader.byte() == 0x59 { call(.shutDown) }
        default: endBytes()
        }
    }

    // MARK: Frames

    private mutating func addFrame(_ operation: UInt8) {
        switch operation {
        case 0...4: addHead()
        case 5...9: addData()
        case 10: addHeaders([("x-digest", "abc"), ("server", "s")])
        case 11: addHeaders(Self.oddLists[reader.number() % Self.oddLists.count])
        case 12: addBlock(reader.bytes(reader.number() % 64))
        case 13, 14: emit(HTTP2Peer.reset(stream(), HTTP2ErrorCode(rawValue: UInt32(reader.byte() & 0xF))))
        case 15, 16: addSettings()
        case 17, 18: emit(HTTP2Peer.frame(Kind.settings, flags: 1))
        case 19: emit(HTTP2Peer.ping(UInt64(reader.byte())))
        case 20: emit(HTTP2Peer.pong(UInt64(reader.byte())))
        case 21: emit(HTTP2Peer.goAway(stream(), HTTP2ErrorCode(rawValue: UInt32(reader.byte() & 0xF)), "bye\n"))
        case 22, 23: addWindowUpdate()
        case 24: addPriority()
        case 25: emit(HTTP2Peer.frame(reader.byte() | 0xA, flags: reader.byte(), stream: stream(), reader.bytes(9)))
        case 26: addPromise()
        case 27: emit(HTTP2Peer.frame(Kind.continuation, flags: 4, stream: stream(), reader.bytes(3)))
        case 28, 29: addRawFrame()
        case 30, 31: damage()
        case 32: truncate()
        case 33, 34: repeatFrame()
        case 35: emit(HTTP2Peer.data(stream(), [], endStream: reader.chance()))
        case 36: addInformational()
        default: emit(HTTP2Peer.settings())
        }
    }

    private mutating func addHead() {
        var lines = [(":status", reader.pick(["200", "200", "200", "404", "204", "304", "205", "599"]))]
        let fields = reader.byte()
        for (index, line) in Self.fields.enumerated() where fields & (1 << UInt8(index)) != 0 { lines.append(line) }
        addHeaders(lines)
    }

    private mutating func addInformational() {
        addHeaders([(":status", reader.pick(["100", "103", "199"])), ("link", "</a>")])
    }

    private mutating func addHeaders(_ lines: [(String, String)]) {
        // The frames of a block of this size are one frame.
        addBlock(Array(peer.lines(1, lines, endStream: false).dropFirst(9)))
    }

    /// Adds a header block, perhaps with padding, with a priority, or in several frames.
    private mutating func addBlock(_ block: [UInt8]) {
        let stream = self.stream()
        let flags = reader.byte()
        var rest = block[...]
        var payload: [UInt8] = []
        if flags & 0x8 != 0 { payload.append(reader.byte() & 0x1F) }
        let paddingBytes = Int(payload.first ?? 0)
        if flags & 0x20 != 0 { payload += [0, 0, 0, flags & 7, 16] }
        let isSplit = flags & 0x40 != 0 && rest.count > 1
        let first = isSplit ? rest.prefix(1 + reader.number() % (rest.count - 1)) : rest
        rest = rest.dropFirst(first.count)
        payload += first
        payload += [UInt8](repeating: 0, count: paddingBytes)
        let bits = flags & 0x29 | (rest.isEmpty ? 0x4 : 0)
        emit(HTTP2Peer.frame(Kind.headers, flags: bits, stream: stream, payload))
        while !rest.isEmpty {
            let part = rest.prefix(1 + reader.number() % rest.count)
            rest = rest.dropFirst(part.count)
            emit(HTTP2Peer.frame(Kind.continuation, flags: rest.isEmpty ? 4 : 0, stream: stream, Array(part)))
        }
    }

    private mutating func addData() {
        let stream = self.stream()
        let flags = reader.byte()
        let count = reader.number() * (flags & 0x2 == 0 ? 1 : 16)
        let padding = flags & 0x8 == 0 ? nil : reader.number()
        let content = [UInt8](repeating: 0x62, count: count)
        emit(HTTP2Peer.data(stream, content, padding: padding, endStream: flags & 1 != 0))
    }

    private mutating func addSettings() {
        var pairs: [(UInt16, UInt32)] = []
        for _ in 0..<(reader.number() & 3) {
            let identifier = UInt16(reader.byte() & 0xF)
            pairs.append((identifier, number()))
        }
        emit(HTTP2Peer.settings(pairs))
    }

    /// Returns a number that is often at the edge of a range.
    private mutating func number() -> UInt32 {
        let byte = reader.byte()
        guard byte < 200 else { return reader.word() }
        let edges: [UInt32] = [
            0, 1, 2, 100, 4_096, 16_384, 16_777_215, 16_777_216, 65_535, 0x7FFF_FFFF, 0x8000_0000, .max,
        ]
        return byte < 40 ? UInt32(byte) : edges[Int(byte) % edges.count]
    }

    private mutating func addWindowUpdate() {
        let stream = reader.chance() ? 0 : self.stream()
        emit(HTTP2Peer.windowUpdate(stream, number()))
    }

    private mutating func addPriority() {
        let stream = self.stream()
        emit(HTTP2Peer.frame(Kind.priority, stream: stream, HTTP2Peer.big(UInt32(bitPattern: self.stream())) + [16]))
    }

    private mutating func addPromise() {
        emit(HTTP2Peer.frame(Kind.pushPromise, flags: 4, stream: stream(), HTTP2Peer.big(reader.word() & 0xFF)))
    }

    private mutating func addRawFrame() {
        let kind = reader.byte() % 12
        let flags = reader.byte()
        let stream = self.stream()
        emit(HTTP2Peer.frame(kind, flags: flags, stream: stream, reader.bytes(reader.number() % 48)))
    }

    // MARK: Damage

    /// Changes a byte of the last frame, mostly of its header.
    private mutating func damage() {
        guard !lastFrame.isEmpty, bytes.count >= lastFrame.count else { return }
        let position = reader.chance() ? reader.number() % min(9, lastFrame.count) : reader.number() % lastFrame.count
        bytes[bytes.count - lastFrame.count + position] ^= reader.byte()
    }

    private mutating func truncate() {
        bytes.removeLast(min(bytes.count, 1 + reader.number() % 16))
        lastFrame = []
    }

    private mutating func repeatFrame() {
        let frame = lastFrame
        for _ in 0..<(reader.number() & 0x3F) where byteCount < Self.largestByteCount { emit(frame) }
    }

    // MARK: Lines

    private static let fields: [(String, String)] = [
        ("content-length", "5"), ("content-type", "text/plain"), ("set-cookie", "a=b"), ("content-encoding", "gzip"),
        ("x-text", "\u{E4}\u{1F600}"), ("content-length", "5, 5"), ("x-long", String(repeating: "v", count: 90)),
        ("trailer", "x-digest"),
    ]

    private static let oddLists: [[(String, String)]] = [
        [], [("server", "s")], [(":status", "20")], [(":status", "099")], [(":status", "2000")], [(":status", "101")],
        [(":status", "200"), (":status", "200")], [("server", "s"), (":status", "200")], [(":path", "/")],
        [(":status", "200"), ("Server", "s")], [(":status", "200"), ("a b", "c")], [(":status", "200"), ("", "c")],
        [(":status", "200"), ("x", " c")], [(":status", "200"), ("x", "c\t")], [(":status", "200"), ("x", "c\u{0}")],
        [(":status", "200"), ("x", "a\u{1}b")], [(":status", "200"), ("connection", "close")],
        [(":status", "200"), ("transfer-encoding", "chunked")], [(":status", "200"), ("keep-alive", "1")],
        [(":status", "200"), ("content-length", "-1")], [(":status", "200"), ("content-length", "+1")],
        [(":status", "200"), ("content-length", "5,6")], [(":status", "200"), ("content-length", "0")],
        [(":status", "200"), (":other", "1")], [(":status", "200"), ("content-length", "99999999999999999999")],
    ]
}
