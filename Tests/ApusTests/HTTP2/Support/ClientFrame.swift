import ApusEngine
import HTTPTypes

/// A frame that a client has sent.
struct ClientFrame: Sendable {
    /// The number of the connection, from 1.
    let connection: Int
    let kind: FrameKind
    let flags: UInt8
    let stream: Int32
    /// The number of bytes of the payload.
    let byteCount: Int
    /// The payload. Empty in the log of the server if the frame is DATA.
    var payload: [UInt8]

    var endsStream: Bool { (kind == .data || kind == .headers) && flags & FrameFlag.endStream != 0 }

    var endsHeaders: Bool { flags & FrameFlag.endHeaders != 0 }

    var isAcknowledgement: Bool { (kind == .settings || kind == .ping) && flags & FrameFlag.acknowledgement != 0 }

    /// The first four bytes: the increment of WINDOW_UPDATE, the last stream of GOAWAY.
    var number: UInt32 { Self.number(payload.prefix(4)) }

    /// The code of RST_STREAM or GOAWAY.
    var code: HTTP2ErrorCode {
        HTTP2ErrorCode(rawValue: Self.number(kind == .goAway ? payload.dropFirst(4).prefix(4) : payload.prefix(4)))
    }

    /// The frame without the bytes of a body.
    var withoutContent: ClientFrame {
        var frame = self
        if kind == .data { frame.payload = [] }
        return frame
    }

    /// Returns the payload of DATA or HEADERS without padding and priority.
    func content() throws(ClientFault) -> ArraySlice<UInt8> {
        var content = payload[...]
        if flags & FrameFlag.padded != 0 {
            guard let count = content.popFirst(), Int(count) <= content.count else {
                throw ClientFault("the padding is too long: \(self)")
            }
            content = content.dropLast(Int(count))
        }
        if kind == .headers, flags & FrameFlag.priority != 0 {
            guard content.count >= 5 else { throw ClientFault("the priority is cut off: \(self)") }
            content = content.dropFirst(5)
        }
        return content
    }

    /// Returns the number that begins with the most significant byte.
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { (sum: UInt32, byte: UInt8) -> UInt32 in sum << 8 | UInt32(byte) }
    }
}

extension ClientFrame: CustomStringConvertible {
    var description: String {
        "\(kind) with flags \(flags) on stream \(stream), \(byteCount) bytes: \(payload.prefix(16))"
    }
}
