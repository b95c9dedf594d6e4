internal import ApusEngine
internal import HTTPTypes
internal import NIOCore

/// The frames of a server as bytes: by the codec's own writers, or raw where a server may break a rule.
struct HTTP2Peer {
    /// The types of frames.
    enum Kind {
        static let data: UInt8 = 0x0
        static let headers: UInt8 = 0x1
        static let priority: UInt8 = 0x2
        static let reset: UInt8 = 0x3
        static let settings: UInt8 = 0x4
        static let pushPromise: UInt8 = 0x5
        static let ping: UInt8 = 0x6
        static let goAway: UInt8 = 0x7
        static let windowUpdate: UInt8 = 0x8
        static let continuation: UInt8 = 0x9
        static let unknown: UInt8 = 0xBE
    }

    private var hpack = HPACKEncoder()

    // MARK: Raw frames

    /// Returns the bytes of a frame. `length` is the declared length, by default that of the payload.
    static func frame(
        _ type: UInt8,
        flags: UInt8 = 0,
        stream: Int32 = 0,
        _ payload: [UInt8] = [],
        length: Int? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = big(UInt32(length ?? payload.count))
        bytes.removeFirst()
        bytes.append(type)
        bytes.append(flags)
        bytes.append(contentsOf: big(UInt32(bitPattern: stream)))
        bytes.append(contentsOf: payload)
        return bytes
    }

    /// Returns a number with the most significant byte first.
    static func big(_ number: UInt32) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: number >> 24), UInt8(truncatingIfNeeded: number >> 16),
            UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number),
        ]
    }

    /// A WINDOW_UPDATE with any increment. The writer rejects 0.
    static func windowUpdate(_ stream: Int32, _ increment: UInt32) -> [UInt8] {
        frame(Kind.windowUpdate, stream: stream, big(increment))
    }

    static func data(
        _ stream: Int32,
        _ content: [UInt8],
        padding: Int? = nil,
        endStream: Bool = false
    ) -> [UInt8] {
        var flags: UInt8 = endStream ? 0x1 : 0
        guard let padding else { return frame(Kind.data, flags: flags, stream: stream, content) }
        flags |= 0x8
        var payload: [UInt8] = [UInt8(padding)]
        payload.append(contentsOf: content)
        payload.append(contentsOf: [UInt8](repeating: 0, count: padding))
        return frame(Kind.data, flags: flags, stream: stream, payload)
    }

    // MARK: Frames of the writer

    static func settings(_ pairs: [(UInt16, UInt32)] = []) -> [UInt8] {
        let settings = pairs.map { (identifier: UInt16, value: UInt32) -> HTTP2Setting in
            HTTP2Setting(identifier: identifier, value: value)
        }
        return written { (buffer: inout ByteBuffer) in HTTP2FrameWriter.settings(settings, into: &buffer) }
    }

    static func reset(_ stream: Int32, _ code: HTTP2ErrorCode) -> [UInt8] {
        written { (buffer: inout ByteBuffer) in HTTP2FrameWriter.reset(stream: stream, code: code, into: &buffer) }
    }

    static func ping(_ token: UInt64) -> [UInt8] {
        written { (buffer: inout ByteBuffer) in HTTP2FrameWriter.ping(token, into: &buffer) }
    }

    static func pong(_ token: UInt64) -> [UInt8] {
        written { (buffer: inout ByteBuffer) in HTTP2FrameWriter.pingAcknowledgement(token, into: &buffer) }
    }

    static func goAway(_ lastStream: Int32, _ code: HTTP2ErrorCode = .noError, _ debug: String = "") -> [UInt8] {
        written { (buffer: inout ByteBuffer) in
            HTTP2FrameWriter.goAway(lastStream: lastStream, code: code, debug: debug, into: &buffer)
        }
    }

    private static func written(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
        var buffer = ByteBuffer()
        write(&buffer)
        return Array(buffer.readableBytesView)
    }

    // MARK: Header blocks

    /// Returns the frames of a response head.
    mutating func head(
        _ stream: Int32,
        _ status: Int = 200,
        _ fields: [(String, String)] = [],
        endStream: Bool = false,
        maximumFrame: Int = 16_384
    ) -> [UInt8] {
        lines(stream, [(":status", String(status))] + fields, endStream: endStream, maximumFrame: maximumFrame)
    }

    /// Returns the frames of any list of lines, for example of trailers.
    mutating func lines(
        _ stream: Int32,
        _ lines: [(String, String)],
        endStream: Bool,
        maximumFrame: Int = 16_384
    ) -> [UInt8] {
        var block = ByteBuffer()
        hpack.begin(into: &block)
        for (name, value) in lines { hpack.encode(name: name, value: value, .indexed, into: &block) }
        var buffer = ByteBuffer()
        HTTP2FrameWriter.headers(
            stream: stream,
            block: block,
            endStream: endStream,
            maximumFrame: maximumFrame,
            into: &buffer
        )
        return Array(buffer.readableBytesView)
    }
}
