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

    @Test func namesTheOtherSide() {
        let unknown = TLSFailureReason.unknownServerName
        #expect("\(unknown)" == "the server does not know the host that it was asked for")
        #expect(unknown.description(for: "h", name: "h") == "the server does not know the host h")
        #expect(unknown.description(for: "h", name: "other") == "h does not know the host other")
        #expect(unknown.description(for: "the proxy p", name: "p") == "the proxy p does not know the host p")
        #expect(TLSFailureReason.notTLS.description(for: "the proxy p") == "the proxy p does not use TLS on this port")
    }

    @Test func tellsAFailureAfterTheHandshake() {
        let alert = TLSFailureReason.alert(.internalError)
        #expect(alert.description(for: "h", isAfterHandshake: true) == "h ended TLS: it had an internal error")
        let other = TLSFailureReason.other("why")
        #expect(other.description(for: "h") == "the handshake with h failed: why")
        #expect(other.description(for: "h", isAfterHandshake: true) == "TLS with h failed: why")
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
