internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// A large file on one of the servers, with its digest beside it. `Scripts/support/interop/transfers.py` creates them.
struct ServedFile: Sendable, CustomTestStringConvertible {
    /// The scheme and the authority of the server.
    let server: String
    let name: String
    let byteCount: Int

    /// Returns the file of 64 pieces of 4 bytes and a mebibyte.
    static func large(on server: String) -> ServedFile {
        ServedFile(server: server, name: "large.bin", byteCount: 64 * (4 + 1 << 20))
    }

    /// Returns the file of a gibibyte.
    static func huge(on server: String) -> ServedFile {
        ServedFile(server: server, name: "huge.bin", byteCount: 1 << 30)
    }

    var testDescription: String { "\(name) of \(server)" }

    /// The port of the server. 0 if it is not running.
    var port: Int { server.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Returns the URL with the port of a relay.
    func url(through port: Int) -> String {
        let host = server.split(separator: ":").dropLast().joined(separator: ":")
        return "\(host):\(port)/\(name)"
    }

    /// Returns the digest that Python has computed.
    func digest() async throws -> ExpectedDigest {
        let session = Servers.trustingSession()
        let text = try await session.get("\(server)/\(name).sha256").validate().string()
        try await assertNothingLeft(session)
        return try ExpectedDigest.sha256(text)
    }

    /// Returns the configuration of a session that trusts the server, and that retries each interruption at once.
    static func patientConfiguration() -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.trust.roots = .file(Servers.authority)
        configuration.interceptor = RetryPolicy(
            retryLimit: 1_000,
            scale: .milliseconds(1),
            maximumDelay: .milliseconds(10)
        )
        configuration.retryBudget = nil
        return configuration
    }
}
