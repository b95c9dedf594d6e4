internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct CertificateRejectionTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    @Test(arguments: [(0, 999_999), (0, 1_000_000), (1_000_000, 2_000_000), (1_000_001, 2_000_000)])
    func comparesThePeriodWithTheClock(begin: Int, end: Int) {
        let reason = CertificateRejection(validFrom: begin, to: end, now: now)
        switch (begin, end) {
        case (_, 999_999): #expect(reason == .expired(on: Date(timeIntervalSince1970: 999_999)))
        case (1_000_001, _): #expect(reason == .notYetValid(from: Date(timeIntervalSince1970: 1_000_001)))
        default: #expect(reason == nil)
        }
    }

    static let sentences: [(CertificateRejection, String)] = [
        (.expired(on: Date(timeIntervalSince1970: 1_777_766_400)), "it expired on 2026-05-03T00:00:00Z"),
        (.expired(on: Date(timeIntervalSince1970: -1)), "it expired on 1969-12-31T23:59:59Z"),
        (.notYetValid(from: Date(timeIntervalSince1970: 0)), "it is valid only from 1970-01-01T00:00:00Z on"),
        (.selfSigned, "it is self-signed"),
        (.untrustedAuthority(issuer: "R3"), "its issuer 'R3' is neither a trusted authority nor certified by one"),
        (.untrustedAuthority(issuer: nil), "its issuer is neither a trusted authority nor certified by one"),
        (.wrongHost(names: []), "it names no host"),
        (.wrongHost(names: ["a.example", "*.b.example"]), "it is valid only for a.example, *.b.example"),
        (
            .wrongHost(names: (1...7).map { "h\($0)" }),
            "it is valid only for h1, h2, h3, h4, h5 and 2 others"
        ),
        (.notForServers, "it is not meant for servers: its key usage or extended key usage excludes them"),
        (.invalidSignature(issuer: "CN=R3"), "its signature was not made with the key of its issuer 'CN=R3'"),
        (.weak("a signature by RSA with SHA-1"), "it has a signature by RSA with SHA-1, which can be forged"),
        (.unknownCriticalExtension("1.2.3"), "it has a critical extension that is not supported: 1.2.3"),
        (.nameNotPermitted("a.example"), "an authority of its chain may not certify the name 'a.example'"),
        (.notAnAuthority, "it has issued another certificate, but may not: it is no authority"),
        (
            .chainTooLong,
            "its chain has more than 10 certificates, or more authorities than one of them allows"
        ),
        (.malformed("it is not DER"), "it can't be read as a certificate: it is not DER"),
        (.notPinned(hashes: []), "it is not pinned"),
        (
            .notPinned(hashes: ["sha256//a", "sha256//b"]),
            "its chain has no pinned key, but the keys sha256//a, sha256//b"
        ),
        (.revoked(on: Date(timeIntervalSince1970: 0)), "its authority revoked it on 1970-01-01T00:00:00Z"),
        (.revocationUnknown("no answer"), "it may have been revoked: no answer"),
        (.noEvaluator, "its host has no evaluator, and the session's ServerTrustManager requires one"),
        (
            .authority(subject: "CN=R3", .expired(on: Date(timeIntervalSince1970: 0))),
            "its authority 'CN=R3' expired on 1970-01-01T00:00:00Z"
        ),
        (
            .authority(subject: "CN=R3", .invalidSignature(issuer: "CN=X1")),
            "its authority 'CN=R3' was rejected: its signature was not made with the key of its issuer 'CN=X1'"
        ),
        (
            .authority(subject: "CN=R3", .authority(subject: "CN=X1", .selfSigned)),
            "its authority 'CN=R3' was rejected: its authority 'CN=X1' is self-signed"
        ),
        (.other("it is odd"), "it is odd"),
    ]

    @Test(arguments: sentences)
    func describesEachReasonInASentence(reason: CertificateRejection, sentence: String) {
        #expect("\(reason)" == sentence)
    }

    @Test func comparesTheNamesWithTheHost() {
        #expect(
            CertificateRejection.wrongHost(names: ["a.example", "b.example"]).description(for: "h")
                == "it is not valid for h, but for a.example, b.example"
        )
        let nameless = CertificateRejection.wrongHost(names: [])
        #expect(nameless.description(for: "h") == "it is not valid for h, and names no host")
        #expect(CertificateRejection.selfSigned.description(for: "h") == "it is self-signed")
    }

    /// The texts come from the server.
    @Test func escapesAndShortensTheTextsOfACertificate() {
        let long = String(repeating: "x", count: 1000)
        let reasons: [CertificateRejection] = [
            .untrustedAuthority(issuer: "a\u{1B}[2J\n\(long)"), .wrongHost(names: ["a\u{1B}[2J\n\(long)"]),
            .other("a\u{1B}[2J\n\(long)"), .malformed("a\u{1B}[2J\n\(long)"), .weak("a\u{1B}[2J\n\(long)"),
            .unknownCriticalExtension("a\u{1B}[2J\n\(long)"), .nameNotPermitted("a\u{1B}[2J\n\(long)"),
            .invalidSignature(issuer: "a\u{1B}[2J\n\(long)"), .revocationUnknown("a\u{1B}[2J\n\(long)"),
            .notPinned(hashes: ["a\u{1B}[2J\n\(long)"]), .authority(subject: "a\u{1B}[2J\n\(long)", .selfSigned),
        ]
        for reason in reasons {
            #expect(!reason.description.unicodeScalars.contains { $0.value < 0x20 })
            #expect(reason.description.count < 600)
        }
    }

    /// The case can be made with any date.
    @Test(arguments: [Date.distantFuture, .distantPast, Date(timeIntervalSince1970: 1e300)])
    func describesAnyDate(date: Date) {
        #expect(CertificateRejection.expired(on: date).description.hasPrefix("it expired on "))
    }
}
