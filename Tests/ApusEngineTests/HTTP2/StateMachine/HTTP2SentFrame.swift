internal import ApusEngine
internal import HTTPTypes

/// A frame that the client has sent.
struct HTTP2SentFrame: Equatable, Sendable, CustomStringConvertible {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    let type: UInt8
    let flags: UInt8
    let stream: Int32
    let payload: [UInt8]

    /// Returns the frames in the output of a client. `nil` if the last one is incomplete.
    static func all(in bytes: [UInt8]) -> [HTTP2SentFrame]? {
        var frames: [HTTP2SentFrame] = []
        var index = bytes.starts(with: preface) ? preface.count : 0
        while index < bytes.count {
            guard bytes.count - index >= 9 else { return nil }
            let length = number(bytes[index..<(index + 3)])
            let end = index + 9 + Int(length)
            guard end <= bytes.count else { return nil }
            frames.append(
                HTTP2SentFrame(
                    type: bytes[index + 3],
                    flags: bytes[index + 4],
                    stream: Int32(truncatingIfNeeded: number(bytes[(index + 5)..<(index + 9)])),
                    payload: Array(bytes[(index + 9)..<end])
                )
            )
            index = end
        }
        return frames
    }

    /// Returns the number that begins with the most significant byte.
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { (sum: UInt32, byte: UInt8) -> UInt32 in sum << 8 | UInt32(byte) }
    }

    var endsStream: Bool { (type == HTTP2Peer.Kind.data || type == HTTP2Peer.Kind.headers) && flags & 0x1 != 0 }

    /// The first four bytes: the code of RST_STREAM, the increment of WINDOW_UPDATE, the last stream of GOAWAY.
    var number: Int { Int(Self.number(payload.prefix(4))) }

    /// The code of RST_STREAM and GOAWAY.
    var code: HTTP2ErrorCode {
        let bytes = type == HTTP2Peer.Kind.goAway ? payload.dropFirst(4).prefix(4) : payload.prefix(4)
        return HTTP2ErrorCode(rawValue: Self.number(bytes))
    }

    var description: String {
        "type \(type) flags \(flags) stream \(stream) with \(payload.count) bytes: \(payload.prefix(16))"
    }
}
