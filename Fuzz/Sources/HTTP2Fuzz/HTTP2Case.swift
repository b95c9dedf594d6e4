/// A connection to compare clients with: the requests of the client, and the bytes of the server.
struct HTTP2Case {
    struct Request {
        let stream: Int32
        let method: String
        /// Whether the request has not ended.
        let isOpen: Bool

        var authority: String { "example.org" }

        /// The lines of its head.
        var lines: [(String, String)] {
            let first = [(":method", method)]
            if method == "CONNECT" { return first + [(":authority", authority)] }
            return first + [(":scheme", "https"), (":authority", authority), (":path", "/")]
        }

        var text: String { isOpen ? "\(method)…" : method }
    }

    let requests: [Request]
    let frames: [[UInt8]]
    /// The streams that the client cancels, by the number of frames before.
    let cancellations: [Int: Int32]
    let streamWindowBytes: Int

    /// Returns the frames in the bytes of a server.
    ///
    /// The last one may be cut off only if its header alone is an error. Otherwise clients may differ in the time at
    /// which they look at it.
    static func frames(in bytes: [UInt8]) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var index = 0
        while bytes.count - index >= 9 {
            let length = Int(HTTP2SentFrame.number(bytes[index..<(index + 3)]))
            let end = index + 9 + length
            guard end <= bytes.count else {
                if length > 16_384 { frames.append(Array(bytes[index...])) }
                break
            }
            frames.append(Array(bytes[index..<end]))
            index = end
        }
        return frames
    }
}

extension HTTP2SentFrame {
    /// Reads the first frame in some bytes. Its payload may be cut off.
    init(_ bytes: [UInt8]) {
        self.init(
            type: bytes.count > 3 ? bytes[3] : 0xFF,
            flags: bytes.count > 4 ? bytes[4] : 0,
            stream: Int32(truncatingIfNeeded: Self.number(bytes.dropFirst(5).prefix(4)) & 0x7FFF_FFFF),
            payload: Array(bytes.dropFirst(9))
        )
    }

    /// The name of the type.
    var typeName: String {
        let names = [
            "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
            "CONTINUATION",
        ]
        return Int(type) < names.count ? names[Int(type)] : "unknown type \(type)"
    }
}

/// The bytes as hexadecimal digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
