internal import Testing

@testable internal import ApusCore

@Suite struct TLSFailureReasonTests {
    @Test(arguments: TLSFailureReason.Alert.allCases)
    func describesEachAlert(alert: TLSFailureReason.Alert) {
        #expect(alert.description.contains(" "))
        #expect(!alert.description.contains("_"))
        #expect(TLSFailureReason.alert(alert).description(for: "h") == "h ended the handshake: \(alert)")
        #expect(TLSFailureReason.clientCertificateRefused(alert).description(for: "h").hasSuffix(alert.description))
    }

    @Test func hasTheNumbersOfTheRegistry() {
        #expect(TLSFailureReason.Alert(rawValue: 40) == .handshakeFailure)
        #expect(TLSFailureReason.Alert(rawValue: 109) == .missingExtension)
        #expect(TLSFailureReason.Alert(rawValue: 116) == .certificateRequired)
        #expect(TLSFailureReason.Alert(rawValue: 255) == nil)
    }

    @Test func escapesTheTextOfTheLibrary() {
        let text = TLSFailureReason.other("a\u{1B}[31m").description
        #expect(!text.contains("\u{1B}"))
    }
}
