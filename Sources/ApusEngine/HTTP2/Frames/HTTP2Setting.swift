internal import HTTPTypes

/// One parameter of a SETTINGS frame (RFC 9113 §6.5.2).
package struct HTTP2Setting: Sendable, Equatable {
    package let identifier: UInt16
    package let value: UInt32

    package init(identifier: UInt16, value: UInt32) {
        self.identifier = identifier
        self.value = value
    }

    package static let headerTableSize: UInt16 = 0x1
    package static let enablePush: UInt16 = 0x2
    package static let maximumConcurrentStreams: UInt16 = 0x3
    package static let initialWindowSize: UInt16 = 0x4
    package static let maximumFrameSize: UInt16 = 0x5
    package static let maximumHeaderListSize: UInt16 = 0x6
}

extension HTTP2Setting {
    /// Throws if a server may not send this value. Every value of an unknown setting passes.
    func check() throws(HTTP2ConnectionError) {
        switch identifier {
        case Self.enablePush where value == 1:
            throw .protocolError("The server set ENABLE_PUSH to 1, which only a client may do.")
        case Self.enablePush where value > 1:
            throw .protocolError("The server set ENABLE_PUSH to \(value), which is neither 0 nor 1.")
        case Self.initialWindowSize where value > 0x7FFF_FFFF:
            throw HTTP2ConnectionError(
                code: .flowControlError,
                reason: "The server set INITIAL_WINDOW_SIZE to \(value), which is above 2147483647."
            )
        case Self.maximumFrameSize where !(16_384...16_777_215).contains(value):
            throw .protocolError("The server set MAX_FRAME_SIZE to \(value), which is not in 16384...16777215.")
        default: break
        }
    }
}
