import Apus
import ApusCore
import ApusTestServer
import ApusTesting
import Testing

/// Hosts whose name servers do not respond delay no other host, and occupy at most two threads each.
@Suite(.timeLimit(.minutes(5))) struct LookupTests {
    private func url(_ host: String, _ server: TestServer) -> String { "http://\(host).test:\(server.port)/get" }

    @Test(arguments: [1, 20])
    func delaysNoOtherHostWhenLookupsHang(deadCount: Int) async throws {
        let hosts = HeldHosts(wanted: deadCount)
        let server = try await TestServer.start()
        let session = Wire.plain.session(resolver: hosts.resolver)
        let dead = try (0..<deadCount * 8).map { number in
            let message = try RequestMessage(url("dead\(number % deadCount)", server))
            return Form.allCases[number % 3].start(message, on: session)
        }
        await hosts.waitUntilHeld()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                if number >= 32 { try await group.next() }
                let url = url("alive\(number % 250)", server)
                group.addTask { try await session.get(url).validate() }
            }
            try await group.waitForAll()
        }
        #expect(server.requestCount == 1000)
        hosts.release()
        for request in dead { #expect(await request.value.code == .hostNotFound) }
        try await assertNothingLeft(session)
        await server.stop()
    }

    /// A pool's eight connection attempts share one lookup.
    @Test func sharesALookupAndItsFailureInAPool() async throws {
        let hosts = HeldHosts()
        let server = try await TestServer.start()
        let monitor = ExchangeGate(count: 8)
        let session = Wire.plain.session(resolver: hosts.resolver) { $0.eventMonitors = [monitor] }
        let message = try RequestMessage(url("dead", server))
        let requests = (0..<8).map { Form.allCases[$0 % 3].start(message, on: session) }
        await monitor.gate.wait()
        await hosts.waitUntilHeld()
        await waitUntil { session.liveCounts["lookups"] == 8 }
        hosts.release()
        for request in requests { #expect(await request.value.code == .hostNotFound) }
        #expect(hosts.begun.value == 1)
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test func abandonsALookupAfterATimeout() async throws {
        let hosts = HeldHosts(wanted: 2)
        let server = try await TestServer.start()
        let session = Wire.plain.session(resolver: hosts.resolver) { $0.timeouts.connect = .milliseconds(100) }
        for _ in 0..<5 {
            let error = await #expect(throws: ApusError.self) { try await session.get(url("dead", server)) }
            #expect(error?.code == .connectTimeout)
            #expect(error?.detail.contains("was not resolved") == true)
        }
        // The second request found an abandoned lookup and began another. A host has at most two.
        await hosts.waitUntilHeld()
        #expect(hosts.begun.value == 2)
        // The lookups still hang, but no longer count for this session.
        try await assertNothingLeft(session)
        hosts.release()
        await server.stop()
    }

    @Test func doesNotWaitForLookupsOnShutdown() async throws {
        let hosts = HeldHosts()
        let server = try await TestServer.start()
        let session = Wire.plain.session(resolver: hosts.resolver)
        let request = Form.direct.start(try RequestMessage(url("dead", server)), on: session)
        await hosts.waitUntilHeld()
        await session.shutdown(within: .zero)
        #expect(await request.value.code == .sessionShutDown)
        try await assertNothingLeft(session)
        hosts.release()
        await server.stop()
    }

    /// Returns when `condition` holds, yielding to the event loops instead of sleeping.
    private func waitUntil(_ condition: () -> Bool) async {
        for _ in 0..<100_000 where !condition() { await Task.yield() }
        #expect(condition())
    }
}
