internal import ApusCore
internal import Testing

@testable internal import ApusEngine

@Suite(.timeLimit(.minutes(5))) struct SystemResolverTests {
    private static let loopback = HostAddress("127.0.0.1", isIPv6: false)

    /// A resolver whose lookups of hosts that begin with `dead` are held, and end in an error.
    private func resolver(_ threads: HeldThreads) -> SystemResolver {
        SystemResolver { host in
            guard host.hasPrefix("dead") else { return .success([Self.loopback]) }
            threads.hold(host)
            return .failure(ApusError(.hostNotFound, "no \(host)"))
        }
    }

    @Test(arguments: [HostAddress("127.0.0.1", isIPv6: false), HostAddress("::1", isIPv6: true)])
    func anAddressIsItsOwnAnswer(address: HostAddress) async throws {
        let lookup = Lookup(of: address.text, by: .shared)
        #expect(try await lookup.outcome.get() == [address])
    }

    @Test func manyCallersShareOneLookupAndItsNegativeAnswer() async {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        let lookups = (0..<100).map { _ in Lookup(of: "dead", by: resolver) }
        await threads.haveArrived(1)
        threads.open()
        for lookup in lookups { #expect(await lookup.code == .hostNotFound) }
        #expect(threads.names == ["dead"])
    }

    @Test func anAnswerIsNotKept() async {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        threads.open()
        for _ in 0..<3 { #expect(await Lookup(of: "dead", by: resolver).code == .hostNotFound) }
        #expect(threads.names.count == 3)
    }

    /// Of 64 threads. A host takes a second one only while half of them are free.
    @Test func hostsThatHangLeaveThreadsToTheOthers() async throws {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        for _ in 1...3 {
            for number in 0..<40 { Lookup(of: "dead\(number)", by: resolver).withdraw() }
            await threads.haveArrived(40)
        }
        #expect(threads.names.count == 40)
        for number in 0..<1000 {
            let lookup = Lookup(of: "alive\(number)", by: resolver)
            #expect(try await lookup.outcome.get() == [Self.loopback])
        }
        threads.open()
    }

    @Test func aHostWhoseLookupHangsIsLookedUpOnceMoreForTheNextCaller() async throws {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        for round in 1...2 {
            let lookup = Lookup(of: "dead", by: resolver)
            await threads.haveArrived(round)
            lookup.withdraw()
        }
        let third = Lookup(of: "dead", by: resolver)
        // Were there a third run, it would have its thread ahead of this one.
        #expect(try await Lookup(of: "alive", by: resolver).outcome.get() == [Self.loopback])
        #expect(threads.names == ["dead", "dead"])
        threads.open()
        #expect(await third.code == .hostNotFound)
    }

    /// Twice: neither a lookup that was refused nor one that is over stays in the count.
    @Test func sixtyFourRunAThousandAndTwentyFourWaitAndOneMoreIsRefused() async throws {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        let running = (0..<64).map { Lookup(of: "dead\($0)", by: resolver) }
        await threads.haveArrived(64)
        let waiting = (0..<1024).map { Lookup(of: "alive\($0)", by: resolver) }
        for _ in 0..<2 {
            let refused = Lookup(of: "alive", by: resolver)
            #expect(refused.isAnswered)
            #expect(await refused.code == .resolveFailed)
        }
        #expect(waiting.allSatisfy { !$0.isAnswered })
        waiting[7].withdraw()
        let late = Lookup(of: "alive", by: resolver)
        #expect(!late.isAnswered)
        threads.open()
        for lookup in running { #expect(await lookup.code == .hostNotFound) }
        for lookup in waiting where lookup !== waiting[7] { #expect(await lookup.code == nil) }
        #expect(await late.code == nil)
        #expect(!waiting[7].isAnswered)
    }

    @Test func aLookupThatNothingWaitsForIsNotBegun() async throws {
        let threads = HeldThreads()
        let resolver = resolver(threads)
        let running = (0..<64).map { Lookup(of: "dead\($0)", by: resolver) }
        await threads.haveArrived(64)
        let left = (0..<100).map { Lookup(of: "dead.left\($0)", by: resolver) }
        for lookup in left { lookup.withdraw() }
        let last = Lookup(of: "alive", by: resolver)
        threads.open()
        for lookup in running { #expect(await lookup.code == .hostNotFound) }
        #expect(await last.code == nil)
        #expect(threads.names.count == 64)
        #expect(left.allSatisfy { !$0.isAnswered })
    }
}

/// One caller of a resolver.
private final class Lookup: Sendable {
    private let answer = Deferred<Result<[HostAddress], ApusError>>()
    private let interest: JobInterest

    init(of host: String, by resolver: SystemResolver) {
        interest = resolver.lookUp(host) { [answer] in #expect(answer.fulfill($0), "\(host) was answered twice") }
    }

    var outcome: Result<[HostAddress], ApusError> {
        get async { await answer.value }
    }

    var isAnswered: Bool { answer.present != nil }

    /// The code of its error; `nil` where it has addresses.
    var code: ApusError.Code? {
        get async { if case .failure(let error) = await outcome { error.code } else { nil } }
    }

    func withdraw() { interest.withdraw() }
}
