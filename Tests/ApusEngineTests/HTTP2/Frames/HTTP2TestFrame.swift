/// Builds the bytes of frames, also of invalid ones and of those that only a server sends.
enum HTTP2TestFrame {
    typealias Kind = HTTP2Peer.Kind

    static let acknowledgement: UInt8 = 0x1
    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let prioritized: UInt8 = 0x20

    /// Returns the bytes of a frame. `length` is the declared length, by default that of the payload.
    static func bytes(
        _ type: UInt8,
        flags: UInt8 = 0,
        stream: UInt32 = 0,
        _ payload: [UInt8] = [],
        length: Int? = nil
    ) -> [UInt8] {
        HTTP2Peer.frame(type, flags: flags, stream: Int32(bitPattern: stream), payload, length: length)
    }

    /// Returns the bytes of a SETTINGS frame with identifiers and values.
    static func settingsFrame(_ pairs: [(UInt16, UInt32)] = []) -> [UInt8] {
        var payload: [UInt8] = []
        for (identifier, value) in pairs {
            payload.append(UInt8(identifier >> 8))
            payload.append(UInt8(identifier & 0xFF))
            payload.append(contentsOf: HTTP2Peer.big(value))
        }
        return bytes(Kind.settings, payload)
    }

    /// Returns the bytes of a GOAWAY frame.
    static func goAwayFrame(_ lastStream: UInt32, _ code: UInt32, _ debug: [UInt8]) -> [UInt8] {
        var payload: [UInt8] = HTTP2Peer.big(lastStream)
        payload.append(contentsOf: HTTP2Peer.big(code))
        payload.append(contentsOf: debug)
        return bytes(Kind.goAway, payload)
    }

    static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] {
        [UInt8](repeating: byte, count: count)
    }

    /// Frames of all types in an order that is valid, with padding, priorities and CONTINUATION.
    static let conversation: [UInt8] = {
        var all: [UInt8] = settingsFrame([(0x3, 100), (0x4, 65_536), (0x5, 16_384), (0x2, 0), (0xFFFF, 0xFFFF_FFFF)])
        all += bytes(Kind.settings, flags: acknowledgement)
        all += bytes(Kind.windowUpdate, HTTP2Peer.big(1_000))
        all += bytes(Kind.headers, flags: endHeaders, stream: 1, [1, 2, 3])
        all += bytes(Kind.data, stream: 1, Array("hello".utf8))
        all += bytes(Kind.data, flags: padded, stream: 1, [3, 0x61, 0x62, 0x63, 0, 0, 0])
        all += bytes(Kind.data, stream: 1)
        all += bytes(Kind.data, flags: padded, stream: 1, [2, 0, 0])
        all += bytes(Kind.headers, flags: padded | prioritized, stream: 3, [4, 0, 0, 0, 1, 16, 9, 8, 7, 0, 0, 0, 0])
        all += bytes(Kind.continuation, stream: 3, [6])
        all += bytes(Kind.continuation, stream: 3)
        all += bytes(Kind.continuation, flags: endHeaders, stream: 3, [5, 4])
        all += bytes(Kind.priority, stream: 5, [0, 0, 0, 1, 200])
        all += bytes(0x20, flags: 0xFF, stream: 5, Array("extension".utf8))
        all += bytes(Kind.ping, [1, 2, 3, 4, 5, 6, 7, 8])
        all += bytes(Kind.ping, flags: acknowledgement, [0, 0, 0, 0, 0, 0, 0, 9])
        all += bytes(Kind.windowUpdate, stream: 3, HTTP2Peer.big(0x8000_0007))
        all += bytes(Kind.data, flags: endStream, stream: 1, Array("end".utf8))
        all += bytes(Kind.headers, flags: endHeaders | endStream | padded, stream: 3, [1, 7, 0])
        all += bytes(Kind.reset, stream: 5, HTTP2Peer.big(7))
        all += bytes(Kind.pushPromise, flags: endHeaders | padded, stream: 5, [2, 0, 0, 0, 2, 1, 1, 1, 0, 0])
        all += goAwayFrame(5, 0xB, Array("slow\ndown".utf8))
        return all
    }()
}
