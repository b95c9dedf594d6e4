internal import ApusEngine
internal import Testing

@Suite struct HTTP2ErrorCodeTests {
    @Test(
        arguments: [
            (.noError, "NO_ERROR (0x0)"), (.protocolError, "PROTOCOL_ERROR (0x1)"),
            (.internalError, "INTERNAL_ERROR (0x2)"), (.flowControlError, "FLOW_CONTROL_ERROR (0x3)"),
            (.settingsTimeout, "SETTINGS_TIMEOUT (0x4)"), (.streamClosed, "STREAM_CLOSED (0x5)"),
            (.frameSizeError, "FRAME_SIZE_ERROR (0x6)"), (.refusedStream, "REFUSED_STREAM (0x7)"),
            (.cancel, "CANCEL (0x8)"), (.compressionError, "COMPRESSION_ERROR (0x9)"),
            (.connectError, "CONNECT_ERROR (0xa)"), (.enhanceYourCalm, "ENHANCE_YOUR_CALM (0xb)"),
            (.inadequateSecurity, "INADEQUATE_SECURITY (0xc)"), (.http11Required, "HTTP_1_1_REQUIRED (0xd)"),
            (HTTP2ErrorCode(rawValue: 14), "unknown error (0xe)"),
            (HTTP2ErrorCode(rawValue: .max), "unknown error (0xffffffff)"),
        ] as [(HTTP2ErrorCode, String)]
    )
    func hasItsNameAndNumber(code: HTTP2ErrorCode, description: String) {
        #expect(code.description == description)
        #expect(HTTP2ErrorCode(rawValue: code.rawValue) == code)
    }

    @Test func errorsAreDescribedByTheirReason() {
        let connection = HTTP2ConnectionError(code: .protocolError, reason: "A sentence.")
        #expect("\(connection)" == "A sentence.")
        #expect(connection.limit == nil)
        #expect("\(HTTP2StreamError(code: .cancel, reason: "Another sentence."))" == "Another sentence.")
    }
}
