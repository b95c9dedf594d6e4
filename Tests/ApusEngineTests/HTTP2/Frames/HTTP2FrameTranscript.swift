internal import ApusEngine
internal import NIOCore

/// The frames of a parser for a stream of bytes, in a form that does not depend on the reads.
struct HTTP2FrameTranscript: Equatable, CustomStringConvertible {
    enum Entry: Equatable {
        /// Adjacent parts on the same stream, up to the end of the stream.
        case data(stream: Int32, [UInt8], flowControlled: Int, endStream: Bool)
        case frame(HTTP2Frame)
        case failure(HTTP2ConnectionError)
    }

    var entries: [Entry] = []
    /// The bytes that the parser left in the buffer after the last frame.
    var leftOver = 0
    /// The largest number of bytes that were in the buffer when the parser needed more.
    var mostHeld = 0

    var description: String { entries.map { "\($0)" }.joined(separator: "\n") + "\nleft over: \(leftOver)" }

    var failure: HTTP2ConnectionError? {
        if case .failure(let error)? = entries.last { error } else { nil }
    }

    /// `mostHeld` depends on the reads, so it is not compared.
    static func == (left: HTTP2FrameTranscript, right: HTTP2FrameTranscript) -> Bool {
        left.entries == right.entries && left.leftOver == right.leftOver
    }

    /// Parses `bytes` in pieces that end at `cuts`.
    init(of bytes: [UInt8], cuts: [Int] = [], limits: HTTP2Limits = HTTP2Limits()) {
        var parser = HTTP2FrameParser(limits: limits)
        var buffer = ByteBuffer()
        var start = 0
        for cut in cuts + [bytes.count] {
            buffer.writeBytes(bytes[start..<cut])
            start = cut
            do throws(HTTP2ConnectionError) {
                while let frame = try parser.next(&buffer) { add(frame) }
            } catch {
                entries.append(.failure(error))
                return
            }
            mostHeld = max(mostHeld, buffer.readableBytes)
        }
        leftOver = buffer.readableBytes
    }

    /// Parses an empty SETTINGS frame and then `bytes`. The transcript begins after the SETTINGS frame.
    init(afterSettings bytes: [UInt8], limits: HTTP2Limits = HTTP2Limits()) {
        self.init(of: HTTP2TestFrame.settingsFrame() + bytes, limits: limits)
        if !entries.isEmpty { entries.removeFirst() }
    }

    private mutating func add(_ frame: HTTP2Frame) {
        guard case .data(let stream, let part, let flowControlled, let endStream) = frame else {
            entries.append(.frame(frame))
            return
        }
        let bytes = Array(part.readableBytesView)
        if case .data(let last, let known, let counted, let isEnd)? = entries.last, last == stream, !isEnd {
            entries[entries.count - 1] = .data(
                stream: stream,
                known + bytes,
                flowControlled: counted + flowControlled,
                endStream: endStream
            )
        } else {
            entries.append(.data(stream: stream, bytes, flowControlled: flowControlled, endStream: endStream))
        }
    }
}
