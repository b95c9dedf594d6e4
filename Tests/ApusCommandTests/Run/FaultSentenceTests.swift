import Apus
import Foundation
import Testing

@testable import ApusCommand

@Suite struct FaultSentenceTests {
    private func sentence(_ error: ApusError) -> String? {
        FaultSentence.fault(for: error, timeout: .seconds(1))?.sentence
    }

    /// Users of the command have flags, not the settings of the library.
    @Test func showsAFlagInsteadOfASetting() {
        let error = ApusError(.deadlineExceeded, "it did not finish", hint: "raise timeouts.request", url: "http://h/")
        #expect(sentence(error) == "http://h/ took too long: it did not finish; allow more time than --timeout 1")
        #expect(FaultSentence.fault(for: error, timeout: .seconds(1))?.exitCode == .timeout)
    }

    @Test func showsNoSettingWithoutAFlag() {
        #expect(sentence(ApusError(.responseTooLarge, "it is large", hint: "raise limits.fieldBytes")) == "it is large")
    }

    static let remedies: [(CertificateRejection, String)] = [
        (.wrongHost(names: ["a"]), "check the host name"), (.selfSigned, "name its authority with --verify FILE"),
        (.untrustedAuthority(issuer: nil), "name its authority with --verify FILE"),
        (.expired(on: .distantPast), "check the clock of this machine"),
        (.notYetValid(from: .distantFuture), "check the clock of this machine"),
        (.other("x"), "name its authority with --verify FILE"),
        (.authority(subject: "CN=R3", .expired(on: .distantPast)), "check the clock of this machine"),
        (.weak("an RSA key of 1024 bits"), "replace the certificate of the server"),
    ]

    @Test(arguments: remedies)
    func suggestsARemedyForEachCertificate(reason: CertificateRejection, remedy: String) {
        let error = ApusError(.certificateRejected, "why", hint: "trust.roots", underlying: reason)
        #expect(sentence(error) == "why; \(remedy), or skip the verification with --verify no")
    }

    @Test func suggestsARemedyForTheCertificateOfAProxy() {
        let cause = CertificateRejection.wrongHost(names: ["a"])
        let error = ApusError(.certificateRejected, "it is wrong", underlying: cause).ofProxy("https://p:1")
        let remedy = "check the host name of the proxy, or skip the verification with --verify no"
        #expect(sentence(error) == "the certificate of the proxy https://p:1 is wrong; \(remedy)")
        let tls = ApusError(.tlsFailed, "why", underlying: TLSFailureReason.clientCertificateRequired)
        #expect(sentence(tls.ofProxy("https://p:1")) == "why; check the scheme, the host and the port of the proxy")
    }

    /// The user is not asked again for the credentials that were refused.
    @Test func suggestsOtherCredentialsForAProxyThatRefusesThem() {
        let missing = ApusError(.proxyAuthenticationRequired, "why", hint: "add them")
        #expect(sentence(missing)?.contains("name its user and password with --proxy") == true)
        let refused = missing.with(refusedProxyUser: "the user 'ada'")
        #expect(sentence(refused) == "why; check the user and the password in the URL of the proxy")
        #expect(sentence(ApusError(.proxyAuthenticationRequired, "it has another method")) == "it has another method")
    }
}
