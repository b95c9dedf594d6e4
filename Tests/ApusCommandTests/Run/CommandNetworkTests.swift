import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The flags that control the addresses of connections.
@Suite(.timeLimit(.minutes(5))) struct CommandNetworkTests {
    private func addresses(_ arguments: String...) throws -> AddressRules {
        guard case .invocation(let invocation) = try Invocation.read(arguments + ["example.org"]) else {
            throw CommandFault("a text was shown instead")
        }
        return invocation.addresses
    }

    @Test func readsFamilies() throws {
        #expect(try addresses("-4").family == .ipv4)
        #expect(try addresses("-6").family == .ipv6)
        #expect(try addresses("--ipv4", "--ipv6").family == .ipv6)
        #expect(try addresses("-4", "--no-ipv4") == AddressRules())
        #expect(try addresses("-F4").family == .ipv4)
    }

    @Test func readsResolve() throws {
        let rules = try addresses(
            "--resolve=A.test:80:192.0.2.1",
            "--resolve",
            "[::1]:443:[2001:db8::1],192.0.2.2",
            "--resolve=b.test:81:2001:db8::2"
        )
        let six = try #require(IPAddress("2001:db8::1"))
        let seven = try #require(IPAddress("2001:db8::2"))
        #expect(rules.overrides["a.test:80"] == .addresses([.v4(192, 0, 2, 1)]))
        #expect(rules.overrides["[::1]:443"] == .addresses([six, .v4(192, 0, 2, 2)]))
        #expect(rules.overrides["b.test:81"] == .addresses([seven]))
        #expect(rules.overrides.count == 3)
    }

    @Test(arguments: [
        "a.test", "a.test:80", "a.test:x:192.0.2.1", "a.test:80:", "a.test:80:b.test", "a.test:65536:192.0.2.1",
        ":80:192.0.2.1", "[::1]", "a.test:80:192.0.2.1,", "a.test:80:127.1",
    ])
    func rejectsOtherValuesOfResolve(value: String) {
        let fault = #expect(throws: CommandFault.self) { try addresses("--resolve", value) }
        #expect(fault?.sentence.contains("--resolve needs") == true)
    }

    @Test func readsTheOtherFlags() throws {
        #expect(try addresses("--unix-socket", "/run/a.sock").unixSocket == "/run/a.sock")
        #expect(try addresses("--interface", "192.0.2.1").localAddress == .address(.v4(192, 0, 2, 1)))
        #expect(try addresses("--interface=eth0").localAddress == .interface("eth0"))
        #expect(try addresses("--guard", "public").guard == .publicOnly)
        #expect(try addresses("--guard=public", "--no-guard").guard == nil)
        #expect(throws: CommandFault.self) { try addresses("--guard=private") }
    }

    @Test func connectsToTheResolvedAddress() async throws {
        try await TestServer.with { server in
            let flag = "--resolve=a.test:\(server.port):127.0.0.1"
            let run = await CommandRunner().run(flag, "http://a.test:\(server.port)/get")
            #expect(run.exitCode == .success)
            #expect(server.requests.first?["Host"] == "a.test:\(server.port)")
        }
    }

    @Test func refusesAnInternalAddress() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run("--guard=public", server.url("/get"))
            #expect(run.exitCode == .failure && run.hasOneSentence)
            #expect(run.error.text.contains("127.0.0.1 is a loopback address; leave out --guard"))
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func connectsToAUnixSocket() async throws {
        try await CommandRunner.inFolder { runner in
            let path = runner.folder + "/s"
            let server = try await TestServer.start(unixSocket: path)
            let run = await runner.run("--unix-socket", path, "http://a.test/get")
            #expect(run.exitCode == .success)
            #expect(server.requests.first?["Host"] == "a.test")
            await server.stop()
        }
    }
}
