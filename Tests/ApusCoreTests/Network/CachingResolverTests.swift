internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct CachingResolverTests {
    /// A resolver that counts its calls. Hosts that begin with `no` have no address, and others a new one each time.
    private final class Hosts: HostResolving {
        let calls = LockedList<String>()
        let cancelledCount = LockedValue(0)
        private let gate: Gate?

        init(after gate: Gate? = nil) {
            self.gate = gate
        }

        func addresses(of host: String) async throws -> [IPAddress] {
            calls.append(host)
            let number = calls.count
            await gate?.wait()
            if Task.isCancelled {
                _ = cancelledCount.increased(by: 1)
                throw CancellationError()
            }
            if host.hasPrefix("none") { return [] }
            guard !host.hasPrefix("no") else { throw ApusError(.hostNotFound, "there is no '\(host)'") }
            return [.v4(192, 0, 2, UInt8(truncatingIfNeeded: number))]
        }
    }

    private let clock = ManualClock()

    @Test func keepsAddressesForAMinute() async throws {
        let hosts = Hosts()
        let resolver = CachingResolver(hosts, clock: clock)
        let first = try await resolver.addresses(of: "a")
        clock.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(try await resolver.addresses(of: "a") == first)
        #expect(hosts.calls.all == ["a"])
        clock.advance(by: .nanoseconds(1))
        #expect(try await resolver.addresses(of: "a") != first)
        #expect(hosts.calls.all == ["a", "a"])
    }

    @Test(arguments: ["no", "none"]) func keepsFailuresForFiveSeconds(host: String) async throws {
        let hosts = Hosts()
        let resolver = CachingResolver(hosts, clock: clock)
        for _ in 1...2 {
            let addresses = try? await resolver.addresses(of: host)
            #expect(addresses?.isEmpty ?? true)
        }
        clock.advance(by: .seconds(5) - .nanoseconds(1))
        _ = try? await resolver.addresses(of: host)
        #expect(hosts.calls.count == 1)
        clock.advance(by: .nanoseconds(1))
        let error = await failure { try await resolver.addresses(of: "no") }
        #expect(error?.code == .hostNotFound)
        _ = try? await resolver.addresses(of: host)
        #expect(hosts.calls.all.count(where: { $0 == host }) == 2)
    }

    @Test func sharesALookup() async throws {
        let gate = Gate()
        let hosts = Hosts(after: gate)
        let resolver = CachingResolver(hosts, clock: clock)
        let tasks = (0..<20).map { _ in Task { try await resolver.addresses(of: "a") } }
        #expect(await eventually { hosts.calls.count == 1 })
        gate.open()
        for task in tasks { #expect(try await task.value == [IPAddress.v4(192, 0, 2, 1)]) }
        #expect(hosts.calls.count == 1)
    }

    @Test func cancelsALookupWithItsLastCaller() async throws {
        let gate = Gate()
        let hosts = Hosts(after: gate)
        let resolver = CachingResolver(hosts, clock: clock)
        let one = Task { try await resolver.addresses(of: "a") }
        #expect(await eventually { hosts.calls.count == 1 })
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        // The next caller begins anew, and is not affected by the cancelled lookup.
        let other = Task { try await resolver.addresses(of: "a") }
        #expect(await eventually { hosts.calls.count == 2 })
        gate.open()
        #expect(try await other.value == [IPAddress.v4(192, 0, 2, 2)])
        #expect(await eventually { hosts.cancelledCount.value == 1 })
        #expect(try await resolver.addresses(of: "a") == [IPAddress.v4(192, 0, 2, 2)])
    }

    @Test func keepsALookupWhileOneCallerWaits() async throws {
        let gate = Gate()
        let hosts = Hosts(after: gate)
        let resolver = CachingResolver(hosts, clock: clock)
        let one = Task { try await resolver.addresses(of: "a") }
        #expect(await eventually { hosts.calls.count == 1 })
        let other = Task { try await resolver.addresses(of: "a") }
        await Task.yield()
        one.cancel()
        _ = await one.result
        gate.open()
        // The second one joined the first lookup, or began another one if it came late.
        #expect(try await other.value.count == 1)
    }

    @Test func removesTheFirstAnswerToEndAtItsLimit() async throws {
        let hosts = Hosts()
        let resolver = CachingResolver(hosts, maximumEntries: 2, clock: clock)
        for host in ["a", "b", "c"] {
            _ = try await resolver.addresses(of: host)
            clock.advance(by: .seconds(1))
        }
        for host in ["b", "c", "a"] { _ = try await resolver.addresses(of: host) }
        #expect(hosts.calls.all == ["a", "b", "c", "a"])
    }

    @Test func forgetsItsAnswers() async throws {
        let hosts = Hosts()
        let resolver = CachingResolver(hosts, clock: clock)
        _ = try await resolver.addresses(of: "a")
        resolver.removeAll()
        _ = try await resolver.addresses(of: "a")
        #expect(hosts.calls.count == 2)
    }
}
