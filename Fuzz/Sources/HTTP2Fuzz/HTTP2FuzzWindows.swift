internal import NIOCore

@testable internal import ApusEngine

/// The windows that a server has opened so far. It reads the same bytes as the client.
struct HTTP2FuzzWindows {
    private var parser = HTTP2FrameParser(limits: HTTP2Limits())
    private var input = ByteBuffer()
    private var isBroken = false
    private var largestInitialBytes = HTTP2FlowWindow.initialBytes
    private var increments: [Int32: Int] = [:]
    private(set) var connectionBytes = HTTP2FlowWindow.initialBytes
    /// Whether a DATA frame has arrived.
    private(set) var hasData = false

    /// Returns the number of bytes that may be sent on a stream in all, or more.
    func bytes(of stream: Int32) -> Int { largestInitialBytes + increments[stream, default: 0] }

    mutating func observe(_ bytes: [UInt8]) {
        guard !isBroken else { return }
        input.writeBytes(bytes)
        do throws(HTTP2ConnectionError) {
            while let frame = try parser.next(&input) { note(frame) }
        } catch {
            isBroken = true
        }
    }

    private mutating func note(_ frame: HTTP2Frame) {
        switch frame {
        case .data: hasData = true
        case .windowUpdate(let stream, let increment):
            if stream == 0 { connectionBytes += increment } else { increments[stream, default: 0] += increment }
        case .settings(let settings):
            for setting in settings where setting.identifier == HTTP2Setting.initialWindowSize {
                largestInitialBytes = max(largestInitialBytes, Int(setting.value))
            }
        default: break
        }
    }
}
