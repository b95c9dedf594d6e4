internal import ApusEngine
internal import HTTPTypes
internal import Testing

/// The values of settings that a server may send.
@Suite struct HTTP2SettingsTests {
    @Test(
        arguments: [
            (HTTP2Setting.headerTableSize, [0, .max]), (HTTP2Setting.enablePush, [0]),
            (HTTP2Setting.maximumConcurrentStreams, [0, .max]),
            (HTTP2Setting.initialWindowSize, [0, 0x7FFF_FFFF]),
            (HTTP2Setting.maximumFrameSize, [16_384, 16_777_215]), (HTTP2Setting.maximumHeaderListSize, [0, .max]),
            (0x0, [0, .max]), (0x7, [0, .max]), (0x8, [0, 1]), (0xFFFF, [0, .max]),
        ] as [(UInt16, [UInt32])]
    )
    func acceptsValuesInRange(identifier: UInt16, values: [UInt32]) {
        for value in values {
            let transcript = HTTP2FrameTranscript(of: HTTP2TestFrame.settingsFrame([(identifier, value)]))
            let setting = HTTP2Setting(identifier: identifier, value: value)
            #expect(transcript.entries == [.frame(.settings([setting]))])
        }
    }

    @Test(
        arguments: [
            (HTTP2Setting.enablePush, [1, 2, .max], .protocolError),
            (HTTP2Setting.initialWindowSize, [0x8000_0000, .max], .flowControlError),
            (HTTP2Setting.maximumFrameSize, [0, 16_383, 16_777_216, .max], .protocolError),
        ] as [(UInt16, [UInt32], HTTP2ErrorCode)]
    )
    func rejectsValuesOutOfRange(identifier: UInt16, values: [UInt32], code: HTTP2ErrorCode) {
        for value in values {
            // A valid value of the same setting does not correct it.
            let pairs: [(UInt16, UInt32)] = [(0x3, 1), (identifier, value), (identifier, 0)]
            let transcript = HTTP2FrameTranscript(of: HTTP2TestFrame.settingsFrame(pairs))
            #expect(transcript.entries.count == 1)
            #expect(transcript.failure?.code == code)
            #expect(transcript.failure?.reason.contains("to \(value)") == true)
        }
    }

    /// The last value of a repeated setting is the valid one (RFC 9113 §6.5.3), so repetitions are kept in order.
    @Test func keepsTheOrderOfRepeatedSettings() {
        let transcript = HTTP2FrameTranscript(of: HTTP2TestFrame.settingsFrame([(0x3, 1), (0x3, 2), (0x3, 1)]))
        let settings = [
            HTTP2Setting(identifier: 0x3, value: 1), HTTP2Setting(identifier: 0x3, value: 2),
            HTTP2Setting(identifier: 0x3, value: 1),
        ]
        #expect(transcript.entries == [.frame(.settings(settings))])
    }

    @Test func acceptsFurtherSettings() {
        let bytes = HTTP2TestFrame.settingsFrame() + HTTP2TestFrame.settingsFrame([(0x3, 5)])
        let second = [HTTP2Setting(identifier: 0x3, value: 5)]
        #expect(HTTP2FrameTranscript(of: bytes).entries == [.frame(.settings([])), .frame(.settings(second))])
    }
}
