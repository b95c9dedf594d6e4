internal import FuzzDriver
internal import NIOCore

@testable internal import ApusEngine

/// Reads the output of a client as a strict server does.
struct HTTP2FuzzOutput {
    private typealias Kind = HTTP2Peer.Kind

    /// The sums of the increments, by stream. 0 is the connection.
    private(set) var increments: [Int32: Int] = [:]
    /// The bytes of DATA that were sent, by stream.
    private(set) var sentBytes: [Int32: Int] = [:]
    private var opened: Set<Int32> = []
    private var ended: Set<Int32> = []
    private var reset: Set<Int32> = []
    private var lastStream: Int32 = 0
    private var hasPreface = false
    private var isOver = false
    private var hpack = HPACKDecoder()
    /// A header block that must be continued. Its stream is 0 if there is none.
    private var blockStream: Int32 = 0
    private var block: [UInt8] = []
    private var acknowledgements = 0

    /// Takes all bytes that were written at once.
    mutating func take(_ bytes: [UInt8], _ limits: HTTP2Limits) {
        if !hasPreface {
            require(bytes.starts(with: HTTP2SentFrame.preface), "no preface")
            hasPreface = true
        }
        guard let frames = HTTP2SentFrame.all(in: bytes) else { fatalError("the output ends inside a frame") }
        acknowledgements = 0
        for frame in frames {
            require(!isOver, "\(frame) after the GOAWAY of a failure")
            take(frame)
        }
        require(blockStream == 0, "the output ends inside a header block")
        require(acknowledgements <= limits.pendingAcknowledgements, "\(acknowledgements) acknowledgements")
    }

    private mutating func take(_ frame: HTTP2SentFrame) {
        let count = frame.payload.count
        require(count <= 16_384, "a frame of \(count) bytes")
        require(frame.stream >= 0, "the reserved bit of \(frame)")
        require(blockStream == 0 || frame.type == Kind.continuation, "\(frame) inside a header block")
        switch frame.type {
        case Kind.data: takeData(frame)
        case Kind.headers: takeHeaders(frame)
        case Kind.continuation: takeContinuation(frame)
        case Kind.reset:
            require(count == 4 && opened.contains(frame.stream), "\(frame)")
            require(reset.insert(frame.stream).inserted, "stream \(frame.stream) was reset twice")
        case Kind.settings:
            require(frame.stream == 0 && count % 6 == 0 && (frame.flags == 0 || count == 0), "\(frame)")
            acknowledgements += Int(frame.flags)
        case Kind.ping:
            require(frame.stream == 0 && count == 8, "\(frame)")
            acknowledgements += Int(frame.flags)
        case Kind.goAway:
            require(frame.stream == 0 && count >= 8 && count <= 8 + 1_024 && frame.number == 0, "\(frame)")
            isOver = frame.code != .noError
        case Kind.windowUpdate:
            require(count == 4 && 1...HTTP2FlowWindow.maximumBytes ~= frame.number, "\(frame)")
            require(frame.stream == 0 || (opened.contains(frame.stream) && !reset.contains(frame.stream)), "\(frame)")
            increments[frame.stream, default: 0] += frame.number
        default: fatalError("a client does not send \(frame)")
        }
    }

    private mutating func takeData(_ frame: HTTP2SentFrame) {
        require(opened.contains(frame.stream) && !reset.contains(frame.stream), "\(frame) on a stream that is not open")
        require(!ended.contains(frame.stream), "\(frame) after the end of the request")
        require(frame.flags & ~0x1 == 0, "\(frame)")
        sentBytes[frame.stream, default: 0] += frame.payload.count
        if frame.endsStream { ended.insert(frame.stream) }
    }

    private mutating func takeHeaders(_ frame: HTTP2SentFrame) {
        require(frame.stream % 2 == 1 && frame.flags & ~0x5 == 0, "\(frame)")
        if opened.contains(frame.stream) {
            require(!reset.contains(frame.stream) && !ended.contains(frame.stream), "\(frame) on a closed stream")
            require(frame.endsStream, "trailers that do not end the request")
        } else {
            require(frame.stream > lastStream, "stream \(frame.stream) after stream \(lastStream)")
            lastStream = frame.stream
        }
        if frame.endsStream { ended.insert(frame.stream) }
        block = frame.payload
        blockStream = frame.stream
        if frame.flags & 0x4 != 0 { endBlock() }
    }

    private mutating func takeContinuation(_ frame: HTTP2SentFrame) {
        require(blockStream == frame.stream && frame.stream != 0 && frame.flags & ~0x4 == 0, "\(frame)")
        block += frame.payload
        if frame.flags & 0x4 != 0 { endBlock() }
    }

    private mutating func endBlock() {
        var lines: [String] = []
        do throws(HPACKError) {
            try hpack.decode(ByteBuffer(bytes: block)) { (header: HPACKHeader) -> Bool in
                lines.append(header.nameText)
                return header.isValueValid
            }
        } catch {
            fatalError("the header block \(block) is invalid: \(error)")
        }
        let isRequest = opened.insert(blockStream).inserted
        require((lines.first == ":method") == isRequest && !lines.contains("invalid"), "the lines \(lines)")
        blockStream = 0
        block = []
    }
}
