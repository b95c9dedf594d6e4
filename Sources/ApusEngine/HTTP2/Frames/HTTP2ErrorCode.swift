/// The error code with which a stream or connection ends (RFC 9113 §7).
///
/// Codes that have no name here are kept as received.
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let noError = HTTP2ErrorCode(rawValue: 0x0)
    package static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    package static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    package static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    package static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
    package static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    package static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
    package static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    package static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    package static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
    package static let connectError = HTTP2ErrorCode(rawValue: 0xA)
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xB)
    package static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xC)
    package static let http11Required = HTTP2ErrorCode(rawValue: 0xD)
}

extension HTTP2ErrorCode: CustomStringConvertible {
    /// The name and the number, for example `REFUSED_STREAM (0x7)`.
    package var description: String { "\(name) (0x\(String(rawValue, radix: 16)))" }

    private var name: String {
        switch rawValue {
        case 0x0: "NO_ERROR"
        case 0x1: "PROTOCOL_ERROR"
        case 0x2: "INTERNAL_ERROR"
        case 0x3: "FLOW_CONTROL_ERROR"
        case 0x4: "SETTINGS_TIMEOUT"
        case 0x5: "STREAM_CLOSED"
        case 0x6: "FRAME_SIZE_ERROR"
        case 0x7: "REFUSED_STREAM"
        case 0x8: "CANCEL"
        case 0x9: "COMPRESSION_ERROR"
        case 0xA: "CONNECT_ERROR"
        case 0xB: "ENHANCE_YOUR_CALM"
        case 0xC: "INADEQUATE_SECURITY"
        case 0xD: "HTTP_1_1_REQUIRED"
        default: "unknown error"
        }
    }
}
