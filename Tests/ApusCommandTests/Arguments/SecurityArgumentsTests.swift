import Apus
import Testing

@testable import ApusCommand

@Suite struct SecurityArgumentsTests {
    private func security(_ arguments: String...) throws -> SecurityArguments {
        guard case .invocation(let invocation) = try Invocation.read(arguments + ["example.org"]) else {
            throw CommandFault("a text was shown instead")
        }
        return invocation.security
    }

    @Test func readsTheClientCertificate() throws {
        #expect(try security() == SecurityArguments())
        let all = try security("--cert", "a.pem", "--cert-key=a.key", "--cert-key-pass", "-secret")
        #expect(all.certificate == "a.pem" && all.key == "a.key" && all.passphrase == "-secret")
        #expect(try security("--cert=a.pem", "--no-cert").certificate == nil)
    }

    @Test func readsVersionsAndCipherSuites() throws {
        #expect(try security("--ssl", "tls1.2").version?.version == .v12)
        #expect(try security("--ssl=tls1.3").version?.version == .v13)
        #expect(try security("--ciphers", "A,B:C").cipherSuites == ["A", "B", "C"])
    }

    @Test func readsTheFileOfHosts() throws {
        #expect(try security("--hsts", "hosts.txt").hsts == "hosts.txt")
        #expect(try security("--hsts=hosts.txt", "--no-hsts").hsts == nil)
    }

    @Test func readsPins() throws {
        let one = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let other = "sha256//LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564="
        let pins = [try PublicKeyPin(one), try PublicKeyPin(other)]
        #expect(try security("--pin", "\(one);\(other)").pins == pins)
        #expect(try security("--pin", one, "--pin", other).pins == pins)
    }

    @Test(arguments: [
        ["--cert-key", "a.key"], ["--cert-key-pass", "x"], ["--ssl", "ssl3"], ["--ssl", "tls1.1"], ["--ciphers", ","],
        ["--pin", "x"], ["--pin", ";"], ["--pin", "sha256//AAAA"],
    ])
    func rejectsInvalidValues(arguments: [String]) {
        let fault = #expect(throws: CommandFault.self) { try Invocation.read(arguments + ["example.org"]) }
        #expect(fault?.sentence.contains(arguments[0]) == true)
    }
}
