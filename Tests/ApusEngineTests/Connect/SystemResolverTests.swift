internal import ApusCore
internal import Testing

@testable internal import ApusEngine

@Suite(.timeLimit(.minutes(5))) struct SystemResolverTests {
    private static let loopback = IPAddress.loopback

    /// Returns a resolver whose lookups of hosts that begin with `dead` block and then fail.
    private func resolver(_ threads: HeldThreads) -> SystemResolver {
        SystemResolver { host in
            guard host.hasPrefix("dead") else { return .success([Self.loopback]) }
            threads.hold(host)
            return .failure(ApusError(.hostNotFound, "no \(host)"))
        }
    }

    @Test(arguments: [IPAddress.loopback, IPAddress.ipv6Loopback])
    func resolvesAnAddressToItself(address: IPAddress) async throws {
        let lookup = Lookup(of: address.description, by: .shared)
        #expect(try await lookup.outcome.get() == [address])
    }

    @Test func sharesALookupAndItsFailure() async {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        let lookups = (0..<100).map { _ in Lookup(of: "dead", by: resolver) }
        await threads.waitForArrivals(1)
        threads.open()
        for lookup in lookups { #expect(await lookup.code == .hostNotFound) }
        #expect(threads.names == ["dead"])
    }

    @Test func doesNotCacheResults() async {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        threads.open()
        for _ in 0..<3 { #expect(await Lookup(of: "dead", by: resolver).code == .hostNotFound) }
        #expect(threads.names.count == 3)
    }

    /// Of 64 threads. A host gets a second thread only while half of them are free.
    @Test func leavesThreadsToOtherHostsWhenLookupsHang() async throws {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        for _ in 1...3 {
            for number in 0..<40 { Lookup(of: "dead\(number)", by: resolver).withdraw() }
            await threads.waitForArrivals(40)
        }
        #expect(threads.names.count == 40)
        for number in 0..<1000 {
            let lookup = Lookup(of: "alive\(number)", by: resolver)
            #expect(try await lookup.outcome.get() == [Self.loopback])
        }
        threads.open()
    }

    @Test func startsASecondLookupIfTheFirstIsAbandoned() async throws {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        for attempt in 1...2 {
            let lookup = Lookup(of: "dead", by: resolver)
            await threads.waitForArrivals(attempt)
            lookup.withdraw()
        }
        let third = Lookup(of: "dead", by: resolver)
        // A third run would have got its thread before this one.
        #expect(try await Lookup(of: "alive", by: resolver).outcome.get() == [Self.loopback])
        #expect(threads.names == ["dead", "dead"])
        threads.open()
        #expect(await third.code == .hostNotFound)
    }

    /// Runs twice: neither rejected nor completed lookups remain in the count.
    @Test func runs64LookupsQueues1024AndRejectsMore() async throws {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        let running = (0..<64).map { Lookup(of: "dead\($0)", by: resolver) }
        await threads.waitForArrivals(64)
        let waiting = (0..<1024).map { Lookup(of: "alive\($0)", by: resolver) }
        for _ in 0..<2 {
            let rejected = Lookup(of: "alive", by: resolver)
            #expect(rejected.isCompleted)
            #expect(await rejected.code == .resolveFailed)
        }
        #expect(waiting.allSatisfy { !$0.isCompleted })
        waiting[7].withdraw()
        let late = Lookup(of: "alive", by: resolver)
        #expect(!late.isCompleted)
        threads.open()
        for lookup in running { #expect(await lookup.code == .hostNotFound) }
        for lookup in waiting where lookup !== waiting[7] { #expect(await lookup.code == nil) }
        #expect(await late.code == nil)
        #expect(!waiting[7].isCompleted)
    }

    @Test func doesNotStartAnAbandonedLookup() async throws {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        let running = (0..<64).map { Lookup(of: "dead\($0)", by: resolver) }
        await threads.waitForArrivals(64)
        let abandoned = (0..<100).map { Lookup(of: "dead.left\($0)", by: resolver) }
        for lookup in abandoned { lookup.withdraw() }
        let last = Lookup(of: "alive", by: resolver)
        threads.open()
        for lookup in running { #expect(await lookup.code == .hostNotFound) }
        #expect(await last.code == nil)
        #expect(threads.names.count == 64)
        #expect(abandoned.allSatisfy { !$0.isCompleted })
    }
}

/// One caller's lookup.
private final class Lookup: Sendable {
    private let result = Deferred<Result<[IPAddress], ApusError>>()
    private let interest: JobInterest

    init(of host: String, by resolver: SystemResolver) {
        interest = resolver.lookUp(host) { [result] in #expect(result.fulfill($0), "\(host) was completed twice") }
    }

    var outcome: Result<[IPAddress], ApusError> {
        get async { await result.value }
    }

    var isCompleted: Bool { result.present != nil }

    /// The code of its error, or `nil` if it has addresses.
    var code: ApusError.Code? {
        get async { if case .failure(let error) = await outcome { error.code } else { nil } }
    }

    func withdraw() { interest.withdraw() }
}
