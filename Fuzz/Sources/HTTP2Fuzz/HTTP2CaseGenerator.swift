internal import ApusEngine
internal import HTTPTypes

/// Generates connections, the same for the same seed. Most are valid. Some frames break a rule, and some bytes are
/// changed.
struct HTTP2CaseGenerator {
    private typealias Kind = HTTP2Peer.Kind
    private typealias Line = (String, String)

    /// A part of a response. Header blocks are encoded in the order in which they are sent.
    private enum Piece {
        case bytes([UInt8])
        case headers([Line], endStream: Bool)
    }

    private var random: SeededGenerator
    private var peer = HTTP2Peer()

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// Returns a connection with up to five requests.
    mutating func connection() -> HTTP2Case {
        peer = HTTP2Peer()
        var requests: [HTTP2Case.Request] = []
        for index in 0..<Int.random(in: 1...5, using: &random) {
            requests.append(request(Int32(2 * index + 1)))
        }
        // A client may apply its window before the server acknowledges it. A small one is rare.
        let streamWindowBytes = chance(8) ? 16 : 65_535
        let frames = HTTP2Case.frames(in: bytes(for: requests))
        var cancellations: [Int: Int32] = [:]
        if chance(15), let victim = requests.randomElement(using: &random) {
            cancellations[Int.random(in: 0...frames.count, using: &random)] = victim.stream
        }
        return HTTP2Case(
            requests: requests,
            frames: frames,
            cancellations: cancellations,
            streamWindowBytes: streamWindowBytes
        )
    }

    /// Returns a connection with one GET.
    mutating func download() -> HTTP2Case {
        peer = HTTP2Peer()
        let requests = [HTTP2Case.Request(stream: 1, method: "GET", isOpen: false)]
        return HTTP2Case(
            requests: requests,
            frames: HTTP2Case.frames(in: bytes(for: requests)),
            cancellations: [:],
            streamWindowBytes: 65_535
        )
    }

    private mutating func request(_ stream: Int32) -> HTTP2Case.Request {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: HTTP2Case.Request(stream: stream, method: "HEAD", isOpen: false)
        case 3..<8: HTTP2Case.Request(stream: stream, method: "POST", isOpen: true)
        case 8: HTTP2Case.Request(stream: stream, method: "CONNECT", isOpen: true)
        default: HTTP2Case.Request(stream: stream, method: "GET", isOpen: false)
        }
    }

    // MARK: Numbers

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    // MARK: Connections

    private mutating func bytes(for requests: [HTTP2Case.Request]) -> [UInt8] {
        var bytes = chance(97) ? settings() : []
        if chance(90) { bytes += HTTP2Peer.frame(Kind.settings, flags: 1) }
        // The responses are sent in turns.
        var responses: [(stream: Int32, pieces: [Piece])] = []
        for request in requests where chance(95) { responses.append((request.stream, response(to: request))) }
        while !responses.isEmpty {
            if chance(12) { bytes += control(requests) }
            let index = Int.random(in: 0..<responses.count, using: &random)
            guard !responses[index].pieces.isEmpty else {
                responses.remove(at: index)
                continue
            }
            let stream = responses[index].stream
            switch responses[index].pieces.removeFirst() {
            case .bytes(let frame): bytes += frame
            case .headers(let lines, let endStream): bytes += headers(stream, lines, endStream: endStream)
            }
        }
        if chance(40) {
            for _ in 0..<Int.random(in: 1...2, using: &random) { damage(&bytes) }
        }
        return bytes
    }

    private mutating func settings() -> [UInt8] {
        var pairs: [(UInt16, UInt32)] = []
        while chance(40) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: pairs.append((0x1, pick([0, 100, 4_096, 65_536])))
            case 2, 3: pairs.append((0x3, pick([0, 1, 100])))
            case 4, 5: pairs.append((0x4, pick([0, 65_535, 1_000_000, 0x7FFF_FFFF])))
            case 6: pairs.append((0x5, pick([16_384, 16_777_215])))
            case 7: pairs.append((0x6, pick([0, 8_192])))
            case 8: pairs.append((0x8, pick([0, 1])))
            case 9: pairs.append((0x2, 0))
            case 10: pairs.append((0xABCD, pick([0, .max])))
            default: if chance(30) { pairs.append(pick(Self.oddSettings)) }
            }
        }
        return HTTP2Peer.settings(pairs)
    }

    private static let oddSettings: [(UInt16, UInt32)] = [
        (0x2, 1), (0x2, 2), (0x4, 0x8000_0000), (0x5, 16_383), (0x5, 16_777_216), (0x8, 2),
    ]

    /// Returns a frame beside the responses.
    private mutating func control(_ requests: [HTTP2Case.Request]) -> [UInt8] {
        let stream = pick(requests).stream
        switch Int.random(in: 0..<22, using: &random) {
        case 0..<3: return HTTP2Peer.ping(7)
        case 3: return HTTP2Peer.pong(7)
        case 4..<6: return HTTP2Peer.windowUpdate(0, pick([1, 1_000, 0x7FFF_0000]))
        case 6..<8: return HTTP2Peer.windowUpdate(stream, pick([1, 1_000, 0x7FFF_0000]))
        case 8: return HTTP2Peer.frame(Kind.priority, stream: stream, [0, 0, 0, 0, 16])
        case 9: return HTTP2Peer.frame(Kind.unknown, flags: 0xFF, stream: stream, [1, 2, 3])
        case 10: return settings()
        case 11: return HTTP2Peer.reset(stream, HTTP2ErrorCode(rawValue: UInt32.random(in: 0...14, using: &random)))
        case 12: return HTTP2Peer.goAway(pick([0, 1, 3, .max]), pick([.noError, .noError, .protocolError]), "bye")
        case 13: return HTTP2Peer.frame(Kind.settings, flags: 1)
        default: return oddControl(stream)
        }
    }

    /// Returns a frame that breaks a rule, or is at its edge.
    private mutating func oddControl(_ stream: Int32) -> [UInt8] {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return HTTP2Peer.windowUpdate(pick([0, stream, stream, 99, 2]), pick([0, 0x7FFF_FFFF]))
        case 1: return HTTP2Peer.reset(pick([0, 2, 99]), .cancel)
        case 2: return HTTP2Peer.goAway(pick([2, 99]))
        case 3: return HTTP2Peer.frame(Kind.priority, stream: stream, HTTP2Peer.big(UInt32(stream)) + [0])
        case 4: return HTTP2Peer.frame(Kind.priority, stream: pick([0, stream]), [0, 0, 0, 0])
        case 5: return HTTP2Peer.frame(Kind.pushPromise, flags: 4, stream: stream, [0, 0, 0, 2, 0x82])
        case 6: return HTTP2Peer.frame(Kind.continuation, flags: 4, stream: stream, [0x88])
        case 7: return HTTP2Peer.frame(Kind.ping, stream: pick([0, 1]), [1, 2, 3])
        case 8: return HTTP2Peer.frame(Kind.settings, flags: pick([0, 1]), stream: pick([0, 1]), [0, 1, 0])
        case 9: return HTTP2Peer.frame(Kind.data, flags: pick([0, 8]), stream: pick([0, 99, stream]))
        case 10: return HTTP2Peer.frame(Kind.data, flags: 8, stream: stream, [pick([1, 2, 200]), 1])
        case 11: return HTTP2Peer.frame(pick([0xA, 0xC]), stream: pick([0, stream]), [0, 1])
        case 12: return HTTP2Peer.frame(Kind.headers, flags: pick([0, 4, 5]), stream: stream, block())
        case 13: return HTTP2Peer.frame(Kind.goAway, [0, 0, 0, 1, 0, 0, 0])
        case 14: return peer.head(pick([0, 2, 99, stream]), 200, endStream: chance(50))
        default: return HTTP2Peer.settings([pick(Self.oddSettings)])
        }
    }

    // MARK: Responses

    private mutating func response(to request: HTTP2Case.Request) -> [Piece] {
        let stream = request.stream
        var pieces: [Piece] = []
        while chance(10) { pieces.append(.headers(informational(), endStream: chance(4))) }
        let hasNoContent = request.method == "HEAD"
        let size = hasNoContent || chance(25) ? 0 : Int.random(in: 0...60, using: &random)
        var lines = chance(88) ? [(":status", pick(["200", "200", "404", "500", "204", "304"]))] : oddStatus()
        while chance(45) { lines.append(pick(Self.fields)) }
        if chance(12) { lines.append(pick(Self.oddFields)) }
        if chance(40) { lines.append(("content-length", chance(90) ? String(size) : pick(Self.oddLengths))) }
        let hasTrailers = chance(15)
        pieces.append(.headers(lines, endStream: size == 0 && !hasTrailers && chance(90)))
        var rest = size
        while rest > 0 {
            let count = Int.random(in: 1...rest, using: &random)
            rest -= count
            let padding = chance(10) ? Int.random(in: 0...20, using: &random) : nil
            let content = [UInt8](repeating: 0x62, count: count)
            let isLast = rest == 0 && !hasTrailers && chance(92)
            pieces.append(.bytes(HTTP2Peer.data(stream, content, padding: padding, endStream: isLast)))
        }
        if hasTrailers {
            var lines: [Line] = [("x-digest", "abc")]
            if chance(30) { lines.append(pick(Self.fields)) }
            if chance(10) { lines.append(pick(Self.oddFields)) }
            pieces.append(.headers(lines, endStream: chance(92)))
        }
        disturb(&pieces, stream)
        return pieces
    }

    /// Adds or removes a part of a response.
    private mutating func disturb(_ pieces: inout [Piece], _ stream: Int32) {
        guard chance(12), !pieces.isEmpty else { return }
        let index = Int.random(in: 0..<pieces.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: pieces.remove(at: index)
        case 1: pieces.insert(.bytes(HTTP2Peer.data(stream, [1, 2], endStream: chance(30))), at: index)
        case 2: pieces.append(.bytes(HTTP2Peer.data(stream, [1, 2], endStream: chance(50))))
        case 3: pieces.append(.headers([(":status", "200")], endStream: chance(50)))
        case 4: pieces.insert(.bytes(HTTP2Peer.data(stream, [])), at: index)
        default: pieces.append(.bytes(HTTP2Peer.reset(stream, .noError)))
        }
    }

    private mutating func informational() -> [Line] {
        var lines: [Line] = [(":status", pick(["100", "103", "103", "102"]))]
        if chance(60) { lines.append(("link", "</a>; rel=preload")) }
        if chance(10) { lines.append(("content-length", pick(["0", "5", "x"]))) }
        return lines
    }

    private mutating func oddStatus() -> [Line] {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return []
        case 1: return [("server", "s"), (":status", "200")]
        case 2: return [(":status", "200"), (pick([":status", ":path", ":other"]), "200")]
        default: return [(":status", pick(["101", "99", "099", "2000", "20x", "", " 200", "999", "600"]))]
        }
    }

    /// Returns the frames of a header block, which may have padding, a priority or a continuation.
    private mutating func headers(_ stream: Int32, _ lines: [Line], endStream: Bool) -> [UInt8] {
        let frames = peer.lines(stream, lines, endStream: endStream, maximumFrame: chance(10) ? 9 : 16_384)
        guard chance(12), HTTP2Case.frames(in: frames).count == 1 else { return frames }
        let endFlag: UInt8 = endStream ? 1 : 0
        let block = Array(frames.dropFirst(9))
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return HTTP2Peer.frame(Kind.headers, flags: endFlag | 0xC, stream: stream, [3] + block + [0, 0, 0])
        case 1:
            let parent = chance(80) ? 0 : UInt32(stream)
            let payload = HTTP2Peer.big(parent) + [16] + block
            return HTTP2Peer.frame(Kind.headers, flags: endFlag | 0x24, stream: stream, payload)
        default:
            // Size updates at the beginning of the block.
            let updates = [UInt8](repeating: 0x20, count: Int.random(in: 1...3, using: &random)) + [0x3F, 0xE1, 0x1F]
            return HTTP2Peer.frame(Kind.headers, flags: endFlag | 0x4, stream: stream, updates + block)
        }
    }

    /// Returns a header block that may be invalid.
    private mutating func block() -> [UInt8] {
        let blocks: [[UInt8]] = [
            [0x88], [0x88, 0xBE], [0x80], [0x88, 0x00, 0x00, 0x00], [0x88, 0x00, 0x01], [0x88, 0x20], [0x20, 0x88],
            [0x20, 0x20, 0x20, 0x88], [0x3F, 0xE2, 0x1F, 0x88], [0x88, 0x00, 0x81, 0xFF, 0x00],
            [0x88, 0x7F, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01, 0x61],
            [0x88, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00],
        ]
        return pick(blocks)
    }

    private static let fields: [Line] = [
        ("server", "s"), ("date", "Sat, 21 Nov 2026 05:29:39 GMT"), ("content-type", "text/plain"), ("vary", "*"),
        ("set-cookie", "a=b"), ("etag", "\"a\""), ("x-a", "b"), ("x-empty", ""), ("x-text", "\u{E4}"), ("te", "x"),
        ("content-encoding", "br"), ("host", "h"), ("trailer", "x-digest"), ("x-blank", "a \t b"),
    ]

    private static let oddFields: [Line] = [
        ("X-Upper", "a"), ("x y", "a"), ("", "a"), ("x:y", "a"), ("x\u{E4}", "a"), ("connection", "close"),
        ("transfer-encoding", "chunked"), ("upgrade", "h2c"), ("keep-alive", "5"), ("proxy-connection", "x"),
        ("x", "a\u{0}"), ("x", "a\nb"), ("x", "a\r"), ("x", "a\u{1}b"), ("x", "\u{7F}"), ("x", " a"), ("x", "a\t"),
    ]

    private static let oddLengths = [
        "", "-1", "+1", "0x5", "5 5", "5,5", "5, 5", "5,6", "05", "1", "99999999999999999999", "9223372036854775807",
        " 5",
    ]

    // MARK: Damage

    /// Changes some bytes. The headers of frames are changed most often.
    private mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        var index = Int.random(in: 0..<bytes.count, using: &random)
        if chance(50) {
            let frames = HTTP2Case.frames(in: bytes)
            let place = Int.random(in: 0...frames.count, using: &random)
            let start = frames.prefix(place).reduce(0) { (sum: Int, frame: [UInt8]) -> Int in sum + frame.count }
            index = min(bytes.count - 1, start + Int.random(in: 0..<9, using: &random))
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 2, 3: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 4: bytes.insert(UInt8.random(in: 0...12, using: &random), at: index)
        case 5: bytes.remove(at: index)
        case 6:
            let end = min(bytes.count, index + Int.random(in: 1...60, using: &random))
            bytes.insert(contentsOf: Array(bytes[index..<end]), at: Int.random(in: 0...bytes.count, using: &random))
        default: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...30, using: &random)))
        }
    }
}
