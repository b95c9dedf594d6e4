internal import ApusCore
internal import Testing

@testable internal import ApusEngine

@Suite struct ProxyFailureTests {
    private let proxy = ProxyServer(host: "p", port: 1)

    private static let faults: [HTTP1ParseError] = [
        .statusLineInvalid, .statusLineTooLong(limit: 1), .versionUnsupported, .fieldNameInvalid,
        .fieldValueInvalid(name: "A"), .bareLineFeed, .headTooLarge(limit: 1), .contentLengthConflict,
        .transferCodingUnsupported("gzip"), .chunkSizeInvalid, .trailersTooLarge(limit: 1),
    ]

    @Test(arguments: faults)
    func describesAWrongResponseInOneSentence(fault: HTTP1ParseError) {
        let error = ProxyFailure.malformed(proxy, fault)
        #expect(error.code == .proxyConnectFailed)
        #expect(error.detail.hasPrefix("the proxy http://p:1 "))
        #expect(!error.detail.contains(". ") && !error.detail.hasSuffix("."), "\(error)")
        #expect(!error.detail.contains(": The ") && !error.detail.contains(": A "), "\(error)")
    }

    @Test(arguments: ProxyServer.Kind.allCases)
    func namesTheUserThatWasRefused(kind: ProxyServer.Kind) {
        let proxy = ProxyServer(kind: kind, host: "p", port: 1, user: "ada", password: "sesame")
        let refused = ProxyFailure.unauthorized(proxy, hasSent: true)
        #expect(refused.detail == "the proxy \(proxy) refused the user 'ada'")
        #expect(refused.refusedProxyUser == "the user 'ada'")
        let unsent = ProxyFailure.unauthorized(proxy, hasSent: false)
        #expect(!unsent.detail.contains("ada") && unsent.refusedProxyUser == nil)
        for error in [refused, unsent] {
            #expect(error.code == .proxyAuthenticationRequired)
            #expect(!error.debugDescription.contains("sesame"))
        }
    }
}
