import Apus
import ApusCore
import ApusEngine
import ApusTestServer
import ApusTesting
import Testing

/// The addresses of a host that is resolved here, in front of a SOCKS proxy.
@Suite(.timeLimit(.minutes(5))) struct SOCKSAddressTests {
    private static let addresses = (1...6).map { IPAddress.v4(192, 0, 2, $0) }

    /// Sends a request whose first addresses the proxy refuses. Returns the error and the targets of all attempts.
    private func outcome(refusing count: Int, of addresses: Int) async throws -> (error: ApusError?, targets: [String])
    {
        let server = try await TestServer.start()
        let refusals = Tally()
        let options = TestProxy.Options.of(.socks5).changed { options in
            options.answer = { stage, bytes in
                guard case .reply = stage, refusals.countUp() <= count else { return .send(bytes) }
                return .stop(after: [5, 4, 0, 1, 0, 0, 0, 0, 0, 0])
            }
        }
        let proxy = try await TestProxy.start(options)
        let selection = ProxySelection.server(try proxy.server(kind: .socks5))
        let resolver = ScriptedResolver(Array(Self.addresses.prefix(addresses)))
        let session = Wire.plain.session(resolver: resolver) { $0.proxy = selection }
        var thrown: ApusError?
        do throws(ApusError) {
            _ = try await session.get("http://host.test:\(server.port)/get")
        } catch {
            thrown = error
        }
        let targets = proxy.requests.compactMap { $0.target.split(separator: ":").first.map(String.init) }
        try await assertNothingLeft(session)
        await proxy.stop()
        await server.stop()
        return (thrown, targets)
    }

    @Test func triesTheNextAddress() async throws {
        let (error, targets) = try await outcome(refusing: 2, of: 3)
        #expect(error == nil)
        #expect(targets == ["192.0.2.1", "192.0.2.2", "192.0.2.3"])
    }

    @Test(arguments: [1, 3, 6])
    func triesFourAddressesAtMost(addresses: Int) async throws {
        let (error, targets) = try await outcome(refusing: .max, of: addresses)
        #expect(error?.code == .proxyRefused)
        #expect(targets.count == min(addresses, 4))
    }
}
