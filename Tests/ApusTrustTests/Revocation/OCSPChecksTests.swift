internal import ApusCore
internal import Foundation
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import ApusTrust

/// Responses about a certificate, and the status that they prove.
@Suite struct OCSPChecksTests {
    private let authority = TestAuthority("Authority")

    /// Who signs a response.
    enum Signer: Sendable {
        case authority
        /// A responder with a certificate of the authority that has these purposes.
        case delegate([ExtendedKeyUsage.Usage])
        /// A responder whose certificate has expired.
        case expiredDelegate
        /// A responder with a certificate that another authority of the same name has issued.
        case delegateOfNamesake
        /// Another authority with the same name.
        case namesake
        case stranger
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let signer: Signer
        let outcome: String
        let change: @Sendable (inout TestOCSPResponse) -> Void

        init(
            _ testDescription: String,
            by signer: Signer = .authority,
            _ outcome: String,
            _ change: @escaping @Sendable (inout TestOCSPResponse) -> Void = { _ in }
        ) {
            self.testDescription = testDescription
            self.signer = signer
            self.outcome = outcome
            self.change = change
        }
    }

    private static let outdated = "answers with an outdated status"
    private static let unsigned = "answers without a signature by the authority or its delegate"
    private static let otherCertificate = "answers about another certificate"

    private static let statuses = [
        Case("good", "good"),
        Case("revoked", "revoked -500") { $0.status = .revoked(-500) },
        Case("unknown", "does not know the certificate") { $0.status = .unknown },
        Case("hashed with SHA-256", "good") { $0.hashesWithSHA256 = true },
        Case("named by its key", "good") { $0.namesResponderByKey = true },
        Case("malformed request", "finds the request malformed") { $0.responseStatus = 1 },
        Case("internal error", "has an internal error") { $0.responseStatus = 2 },
        Case("try later", "is busy") { $0.responseStatus = 3 },
        Case("unauthorized", "may not answer the request") { $0.responseStatus = 6 },
        Case("unknown error", "reports an unknown error") { $0.responseStatus = 77 },
        Case("another serial number", otherCertificate) { $0.serialNumber = 77 },
        Case("another authority", otherCertificate) { $0.namedIssuer = TestAuthority("Authority") },
        Case("a critical extension", "answers with a critical extension that is not supported") {
            $0.hasCriticalExtension = true
        },
    ]

    private static let times = [
        Case("expired", outdated) { $0.nextUpdate = -301 },
        Case("expired within the skew", "good") { $0.nextUpdate = -299 },
        Case("revoked, but expired", outdated) {
            $0.status = .revoked(-500)
            $0.nextUpdate = -301
        },
        Case("not yet valid", "answers with a status of the future") { $0.thisUpdate = 301 },
        Case("not yet valid within the skew", "good") { $0.thisUpdate = 299 },
        Case("signed in the future", "answers with a status of the future") { $0.producedAt = 301 },
        Case("ends before it begins", outdated) {
            $0.thisUpdate = 200
            $0.nextUpdate = 100
        },
        Case("without an end", "good") { $0.nextUpdate = nil },
        Case("without an end, and old", outdated) {
            $0.nextUpdate = nil
            $0.thisUpdate = -86_401
        },
    ]

    private static let signers = [
        Case("broken signature", unsigned) { $0.isSignatureBroken = true },
        Case("by a delegate", by: .delegate([.ocspSigning]), "good"),
        Case("revoked by a delegate", by: .delegate([.ocspSigning]), "revoked -500") { $0.status = .revoked(-500) },
        Case("by a delegate with its key", by: .delegate([.ocspSigning]), "good") { $0.namesResponderByKey = true },
        Case("by a delegate without purposes", by: .delegate([]), unsigned),
        Case("by a delegate for any purpose", by: .delegate([.any]), unsigned),
        Case("by a server", by: .delegate([.serverAuth]), unsigned),
        Case("by an expired delegate", by: .expiredDelegate, unsigned),
        Case("by a delegate of a namesake", by: .delegateOfNamesake, unsigned),
        Case("by a namesake", by: .namesake, unsigned),
        Case("by a namesake with its key", by: .namesake, unsigned) { $0.namesResponderByKey = true },
        Case("by a stranger", by: .stranger, unsigned),
        Case("with SHA-1", "answers with a signature by ECDSA with SHA-1, which can be forged") {
            $0.algorithm = TestTemplate.identifier([1, 2, 840, 10045, 4, 1])
        },
        Case("with another algorithm", unsigned) {
            $0.algorithm = TestTemplate.identifier([1, 2, 840, 10045, 4, 3, 3])
        },
    ]

    @Test(arguments: statuses + times + signers) func judges(response: Case) throws {
        let issuer = try authority.root()
        let certificate = try authority.server { $0.serialNumber = 3 }
        var template = TestOCSPResponse()
        response.change(&template)
        let signer = try self.signer(response.signer, &template)
        let bytes = try template.bytes(about: certificate, of: authority, signedBy: signer)
        #expect(try outcome(of: bytes, certificate, issuer) == response.outcome)
    }

    @Test func refusesBytesThatAreNoResponse() throws {
        let issuer = try authority.root()
        let certificate = try authority.server { $0.serialNumber = 3 }
        let whole = try TestOCSPResponse().bytes(about: certificate, of: authority, signedBy: authority)
        #expect(try outcome(of: whole, certificate, issuer) == "good")
        for count in 0..<whole.count {
            #expect(try outcome(of: Array(whole.prefix(count)), certificate, issuer) == "unreadable")
        }
        #expect(try outcome(of: whole + [0], certificate, issuer) == "unreadable")
        #expect(try outcome(of: Array("<html>".utf8), certificate, issuer) == "unreadable")
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x04
            let result = try outcome(of: damaged, certificate, issuer)
            #expect(result != "good" && !result.hasPrefix("revoked"), "byte \(index)")
        }
    }

    @Test func asksForTheCertificateByItsSerialNumber() throws {
        let issuer = try authority.root()
        let certificate = try authority.server { $0.serialNumber = 300 }
        let request = try OCSPCertificateID(of: certificate, issuer: issuer).request()
        var rest = try DERMembers(of: try DER.parse(request), in: "request")
        for _ in 0..<3 {
            let node = try rest.next()
            rest = try DERMembers(of: node, in: "request")
        }
        let identifier = try rest.next()
        #expect(try OCSPCertificateID(of: certificate, issuer: issuer).matches(identifier))
        let other = try authority.server { $0.serialNumber = 301 }
        #expect(try !OCSPCertificateID(of: other, issuer: issuer).matches(identifier))
    }

    @Test func agreesWithOpenSSL() throws {
        let (issuer, good, revoked) = try (
            OpenSSLResponses.authority, OpenSSLResponses.good, OpenSSLResponses.revoked
        )
        let moment = OpenSSLResponses.moment
        #expect(try OCSPCertificateID(of: good, issuer: issuer).request() == OpenSSLResponses.request)
        for response in [OpenSSLResponses.goodByDelegate, OpenSSLResponses.goodWithoutEnd] {
            #expect(try outcome(of: response, good, issuer, at: moment) == "good")
            #expect(try outcome(of: response, revoked, issuer, at: moment) == Self.otherCertificate)
        }
        // On 1 June 2026 at noon.
        let offset = 1_780_315_200 - Int(moment.timeIntervalSince1970)
        let response = OpenSSLResponses.revokedResponse
        #expect(try outcome(of: response, revoked, issuer, at: moment) == "revoked \(offset)")
        let later = moment.addingTimeInterval(86_400)
        #expect(try outcome(of: OpenSSLResponses.goodByDelegate, good, issuer, at: later) == "good")
        #expect(try outcome(of: OpenSSLResponses.goodWithoutEnd, good, issuer, at: later) == Self.outdated)
    }

    @Test func acceptsSignaturesByPSS() throws {
        let issuer = try PSSSamples.root
        let server = try #require(try PSSSamples.servers.first)
        var response = PSSSamples.response
        #expect(try outcome(of: response, server, issuer) == "good")
        response[response.count - 1] ^= 1
        #expect(try outcome(of: response, server, issuer) == Self.unsigned)
    }

    /// Returns the key of a signer. Adds its certificate to the response.
    private func signer(_ signer: Signer, _ response: inout TestOCSPResponse) throws -> TestAuthority {
        let delegate = TestAuthority("Responder")
        switch signer {
        case .authority: return authority
        case .namesake:
            let namesake = TestAuthority("Authority")
            response.certificates = [try namesake.root().derBytes]
            return namesake
        case .stranger: return delegate
        case .delegate(let purposes):
            response.certificates = [try authority.responder(delegate, purposes: purposes).derBytes]
        case .expiredDelegate:
            response.certificates = [try authority.responder(delegate) { $0.validTo = -1 }.derBytes]
        case .delegateOfNamesake:
            response.certificates = [try TestAuthority("Authority").responder(delegate).derBytes]
        }
        return delegate
    }

    private func outcome(
        of bytes: [UInt8],
        _ certificate: ParsedCertificate,
        _ issuer: ParsedCertificate,
        at moment: Date = TestAuthority.moment
    ) throws -> String {
        let identifier = try OCSPCertificateID(of: certificate, issuer: issuer)
        do throws(CertificateRejection) {
            let verdict = try OCSPChecks.verdict(of: bytes, about: identifier, issuer: issuer, at: moment)
            switch verdict.status {
            case .good: return "good"
            case .revoked(let date): return "revoked \(Int(date.timeIntervalSince(moment)))"
            case .unknown, .noResponder: return "unknown"
            }
        } catch {
            guard case .revocationUnknown(let text) = error else { return "unreadable" }
            return text
        }
    }
}
