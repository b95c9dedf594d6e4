internal import Apus
internal import ApusCore
internal import ApusTestServer
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

@Suite struct TransferTrustTests {
    private static let pin = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private func failure(pins: [PublicKeyPin] = [], anchors: String? = nil) -> ApusError? {
        do throws(ApusError) {
            _ = try TransferTrust(pins: pins, anchors: anchors)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the transfer that is read from JSON with that trust.
    private func transfer(_ trust: String) throws -> Transfer {
        let text =
            #"{"id":"1","kind":"download","url":"https://h.example/a","path":"/tmp/a","retryLimit":0,"trust":"#
            + trust + "}"
        return try JSONDecoder().decode(Transfer.self, from: Data(text.utf8))
    }

    @Test func keepsItsParts() throws {
        let trust = try TransferTrust(pins: [PublicKeyPin(Self.pin)], anchors: TestTLS.authorityPEM)
        let transfer = try Transfer("https://h.example/a", to: URL(filePath: "/tmp/a"), trust: trust)
        let data = try JSONEncoder().encode(transfer)
        let read = try JSONDecoder().decode(Transfer.self, from: data)
        #expect(read == transfer)
        #expect(read.trust == trust)
        #expect("\(trust)" == "1 pins, with anchors")
    }

    @Test func isTheOptionOfTheRequests() throws {
        let pin = try PublicKeyPin(Self.pin)
        let pinned = try TransferTrust(pins: [pin]).option
        #expect(pinned.roots == .system && pinned.verification == .full)
        #expect(pinned.evaluator as? PublicKeysTrustEvaluator == PublicKeysTrustEvaluator(keys: [pin]))
        let anchored = try TransferTrust(anchors: TestTLS.authorityPEM).option
        #expect(anchored.roots == .all([.pem(TestTLS.authorityPEM), .system]))
        // The manager of a session might trust anyone.
        #expect(anchored.evaluator as? DefaultTrustEvaluator == DefaultTrustEvaluator())
    }

    @Test func refusesInvalidParts() throws {
        #expect(failure()?.code == .invalidConfiguration)
        #expect(failure(anchors: "")?.code == .invalidConfiguration)
        #expect(failure(anchors: "no certificate")?.code == .invalidConfiguration)
        let pin = try PublicKeyPin(Self.pin)
        #expect(failure(pins: [pin]) == nil)
        #expect(failure(anchors: TestTLS.authorityPEM) == nil)
    }

    @Test func needsHTTPS() throws {
        let trust = try TransferTrust(pins: [PublicKeyPin(Self.pin)])
        #expect {
            try Transfer("http://h.example/a", to: URL(filePath: "/tmp/a"), trust: trust)
        } throws: { error in
            (error as? ApusError)?.code == .invalidConfiguration
        }
    }

    /// A damaged trust is never a missing one, also after the log was compacted.
    @Test(arguments: [
        "null", "{}", "7", #"{"pins":[]}"#, #"{"pins":null,"anchors":"x"}"#, #"{"pins":["sha256//x"]}"#,
        #"{"anchors":7}"#, #"{"pins":[],"anchors":"x"}"#, #"{"keys":["x"]}"#,
    ])
    func staysDamaged(text: String) throws {
        var transfer = try transfer(text)
        for _ in 0..<2 {
            #expect(transfer.trust == .damaged)
            let trust = try #require(transfer.trust)
            #expect {
                try trust.option
            } throws: { error in
                (error as? ApusError)?.code == .invalidConfiguration
            }
            #expect { try transfer.options } throws: { ($0 as? ApusError)?.code == .invalidConfiguration }
            transfer = try JSONDecoder().decode(Transfer.self, from: JSONEncoder().encode(transfer))
        }
    }

    @Test func isMissingWithoutAMember() throws {
        let transfer = try Transfer("https://h.example/a", to: URL(filePath: "/tmp/a"))
        let read = try JSONDecoder().decode(Transfer.self, from: JSONEncoder().encode(transfer))
        #expect(read.trust == nil)
        #expect(try read.options[ServerTrust.self] == nil)
    }
}
