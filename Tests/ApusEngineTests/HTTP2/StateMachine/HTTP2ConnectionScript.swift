internal import ApusTestServer
internal import HTTPTypes
internal import Testing

@testable internal import ApusEngine

/// Conversations of a server with a client that has opened streams 1 to 11. Streams 9 and 11 are uploads.
struct HTTP2ConnectionScript: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    /// Returns a client that has opened its streams and waits for a window on stream 11.
    static func client(limits: HTTP2Limits = HTTP2Limits()) throws -> HTTP2ConnectionStage {
        var stage = HTTP2ConnectionStage(limits: limits, settings: nil)
        for _ in 0..<4 { try stage.open() }
        for _ in 0..<2 { try stage.upload() }
        stage.send(65_000, of: 11)
        stage.send(1_000, of: 11)
        return stage
    }

    /// Frames that the server sends before those of each script.
    private static func opening(_ peer: inout HTTP2Peer) -> [UInt8] {
        var bytes: [UInt8] = HTTP2Peer.settings([(0x3, 50), (0x4, 70_000), (0x1, 4_096)])
        bytes += HTTP2Peer.frame(HTTP2Peer.Kind.settings, flags: 1)
        bytes += HTTP2Peer.windowUpdate(0, 1_000)
        bytes += peer.head(1, 103, [("link", "</a>; rel=preload")])
        bytes += peer.head(3, 200, [("content-length", "5"), ("server", "s")])
        bytes += peer.head(1, 200, [("server", "s")], maximumFrame: 1)
        bytes += HTTP2Peer.data(1, Array("hello".utf8))
        bytes += HTTP2Peer.data(3, Array("12".utf8), padding: 4)
        bytes += HTTP2Peer.ping(1)
        bytes += HTTP2Peer.data(1, Array(" world".utf8))
        bytes += HTTP2Peer.data(3, Array("345".utf8), padding: 0, endStream: true)
        bytes += peer.lines(1, [("x-digest", "abc")], endStream: true)
        return bytes
    }

    private static func script(_ name: String, _ rest: (inout HTTP2Peer) -> [UInt8]) -> HTTP2ConnectionScript {
        var peer = HTTP2Peer()
        var bytes: [UInt8] = opening(&peer)
        bytes += rest(&peer)
        return HTTP2ConnectionScript(testDescription: name, bytes: bytes)
    }

    static let all: [HTTP2ConnectionScript] = [
        script("regular") { (peer: inout HTTP2Peer) -> [UInt8] in
            var bytes: [UInt8] = peer.head(5, 404, endStream: true)
            bytes += peer.head(11, 200)
            bytes += HTTP2Peer.data(11, [1], endStream: true)
            bytes += HTTP2Peer.reset(11, .noError)
            bytes += HTTP2Peer.reset(9, .refusedStream)
            bytes += HTTP2Peer.frame(HTTP2Peer.Kind.unknown, flags: 0xFF, stream: 77, [1, 2, 3])
            bytes += peer.head(7, 204, [("set-cookie", "a=b")], endStream: true)
            return bytes
        },
        script("goAway") { (peer: inout HTTP2Peer) -> [UInt8] in
            var bytes: [UInt8] = HTTP2Peer.goAway(.max)
            bytes += peer.head(5, 200)
            bytes += HTTP2Peer.goAway(7, .enhanceYourCalm, "slow down")
            bytes += HTTP2Peer.data(5, [1, 2, 3], endStream: true)
            bytes += peer.head(9, 200, endStream: true)
            bytes += peer.head(7, 200, endStream: true)
            return bytes
        },
        script("malformed responses") { (peer: inout HTTP2Peer) -> [UInt8] in
            var bytes: [UInt8] = peer.head(5, 101)
            bytes += peer.head(7, 200, [("Upper", "x")])
            bytes += peer.head(9, 200, [("content-length", "3")])
            bytes += HTTP2Peer.data(9, [1, 2, 3, 4], endStream: true)
            bytes += HTTP2Peer.data(9, [1, 2, 3, 4], endStream: true)
            bytes += HTTP2Peer.windowUpdate(11, 0)
            return bytes
        },
        script("late frames") { (peer: inout HTTP2Peer) -> [UInt8] in
            var bytes: [UInt8] = peer.lines(1, [("x-a", "b")], endStream: true)
            bytes += HTTP2Peer.windowUpdate(1, 0)
            bytes += peer.head(5, 200, [("x-a", "b")])
            bytes += HTTP2Peer.data(3, [1])
            return bytes
        },
    ]

    /// Frames that end the connection, after a regular beginning.
    static let fatal: [HTTP2ConnectionScript] = faults.map { (name: String, frame: [UInt8]) -> HTTP2ConnectionScript in
        script(name) { (_: inout HTTP2Peer) -> [UInt8] in frame + HTTP2Peer.ping(5) }
    }

    private static let faults: [(String, [UInt8])] = [
        ("PUSH_PROMISE", HTTP2Peer.frame(HTTP2Peer.Kind.pushPromise, flags: 4, stream: 5, [0, 0, 0, 2])),
        ("unopened stream", HTTP2Peer.reset(13, .cancel)),
        ("window of zero", HTTP2Peer.windowUpdate(0, 0)),
        ("window too large", HTTP2Peer.windowUpdate(0, 0x7FFF_FFFF)),
        ("setting out of range", HTTP2Peer.settings([(0x4, 0x8000_0000)])),
        ("frame too large", HTTP2Peer.frame(HTTP2Peer.Kind.data, stream: 5, [UInt8](repeating: 0, count: 16_385))),
        ("invalid block", HTTP2Peer.frame(HTTP2Peer.Kind.headers, flags: 4, stream: 5, [0xFF, 0xFF, 0xFF, 0xFF])),
        ("missing table entry", HTTP2Peer.frame(HTTP2Peer.Kind.headers, flags: 5, stream: 5, [0xFE])),
        ("continuation", HTTP2Peer.frame(HTTP2Peer.Kind.continuation, flags: 4, stream: 5, [0x88])),
        ("interrupted block", HTTP2Peer.frame(HTTP2Peer.Kind.headers, stream: 5, [0x88])),
    ]
}

extension HTTP2ConnectionScript {
    /// Returns the bytes with one to four random changes.
    func mutated(using random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !bytes.isEmpty else { break }
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2: bytes.insert(UInt8.random(in: 0...12, using: &random), at: index)
            case 3: bytes.remove(at: index)
            case 4: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...30, using: &random)))
            case 5:
                let part = Array(bytes[index..<min(bytes.count, index + Int.random(in: 1...60, using: &random))])
                bytes.insert(contentsOf: part, at: Int.random(in: 0...bytes.count, using: &random))
            default:
                bytes.insert(contentsOf: Self.frame(using: &random), at: index)
            }
        }
        return bytes
    }

    /// Returns a frame with a valid header, of a random type, with random flags, stream and payload.
    static func frame(using random: inout SeededGenerator) -> [UInt8] {
        let type = UInt8.random(in: 0...10, using: &random)
        let lengths: [UInt8: Int] = [2: 5, 3: 4, 4: 6, 6: 8, 7: 9, 8: 4]
        let count = lengths[type] ?? Int.random(in: 0...12, using: &random)
        let isOnConnection = type == 4 || type == 6 || type == 7
        let flags: [UInt8] = type == 4 ? [0] : [0, 1, 4, 5, 8]
        let octets: [UInt8] = [0, 0, 0, 1, 3, 4, 7, 0x82, 0x88, 0xBE]
        var payload: [UInt8] = []
        for _ in 0..<count { payload.append(octets.randomElement(using: &random) ?? 0) }
        return HTTP2Peer.frame(
            type,
            flags: flags.randomElement(using: &random) ?? 0,
            stream: isOnConnection ? 0 : Int32.random(in: 0...14, using: &random),
            payload
        )
    }
}
