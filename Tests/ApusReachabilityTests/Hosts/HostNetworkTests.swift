internal import ApusCore
internal import ApusTestSupport
internal import Dispatch
internal import Testing

@testable internal import ApusReachability

@Suite(.timeLimit(.minutes(5))) struct HostNetworkTests {
    /// A resolver whose answers the test gives, and a network that reaches the addresses that the test lists.
    private final class World: Sendable {
        let system = FakeNetwork(.reachable(.ethernetOrWiFi))
        let questions = LockedList<String>()
        private let answers = LockedValue<[HostLookup]>([])
        private let answered = DispatchSemaphore(value: 0)

        func answer(_ lookup: HostLookup) {
            answers.change { $0.append(lookup) }
            answered.signal()
        }

        func network(retryDelay: DispatchTimeInterval = .seconds(1000)) -> HostNetwork {
            HostNetwork(
                "h.example",
                retryDelay: retryDelay,
                lookUp: { host in
                    self.questions.append(host)
                    self.answered.wait()
                    return self.answers.change { $0.removeFirst() }
                },
                network: { target in
                    guard target == .anywhere else { return FakeNetwork(Self.status(towards: target)) }
                    return self.system
                }
            )
        }

        private static func status(towards target: ReachabilityTarget) -> ReachabilityStatus {
            target == .addresses([address(1)]) ? .reachable(.ethernetOrWiFi) : .notReachable
        }

        static func address(_ last: UInt8) -> IPAddress {
            .v4(192, 0, 2, last)
        }

        static func found(_ last: UInt8) -> HostLookup { .found([address(last)]) }
    }

    private let world = World()

    @Test func isUnknownUntilItsLookupEnds() async {
        let network = world.network()
        #expect(network.status() == .unknown)
        #expect(await eventually { world.questions.count == 1 })
        world.answer(World.found(1))
        #expect(await eventually { network.status() == .reachable(.ethernetOrWiFi) })
        #expect(world.questions.all == ["h.example"])
    }

    @Test func isNotReachableWithoutARoute() async {
        let network = world.network()
        world.answer(World.found(2))
        #expect(await eventually { network.status() == .notReachable })
        #expect(world.questions.count == 1)
    }

    @Test(arguments: [HostLookup.notFound, .failed])
    func looksUpAgainWhenItIsReadWithoutAnAddress(outcome: HostLookup) async {
        let network = world.network()
        world.answer(outcome)
        #expect(await eventually { network.status() == .notReachable })
        world.answer(World.found(1))
        #expect(await eventually { network.status() == .reachable(.ethernetOrWiFi) })
        #expect(world.questions.count == 2)
    }

    @Test func looksUpAgainWhenTheNetworkChanges() async throws {
        let manager = NetworkReachabilityManager(network: world.network())
        var seen: [ReachabilityStatus] = []
        for await status in manager.statuses {
            seen.append(status)
            switch seen.count {
            case 1: world.answer(World.found(1))
            case 2:
                world.system.become(.notReachable)
                world.answer(World.found(2))
            default: break
            }
            guard seen.count < 3 else { break }
        }
        #expect(seen == [.unknown, .reachable(.ethernetOrWiFi), .notReachable])
        #expect(await eventually { !world.system.isWatched })
    }

    @Test func repeatsALookupWithoutAnAnswer() async throws {
        let manager = NetworkReachabilityManager(network: world.network(retryDelay: .milliseconds(1)))
        var seen: [ReachabilityStatus] = []
        for await status in manager.statuses {
            seen.append(status)
            switch seen.count {
            case 1: world.answer(.failed)
            case 2:
                world.answer(.failed)
                world.answer(World.found(1))
            default: break
            }
            guard seen.count < 3 else { break }
        }
        #expect(seen == [.unknown, .notReachable, .reachable(.ethernetOrWiFi)])
        #expect(world.questions.count == 3)
    }

    @Test func throwsIfTheNetworkCannotBeWatched() async {
        let refusing = FakeNetwork(.unknown, refusing: ApusError(.invalidConfiguration, "no"))
        let network = HostNetwork("h.example", lookUp: { _ in .notFound }, network: { _ in refusing })
        let manager = NetworkReachabilityManager(network: network)
        let error = #expect(throws: ApusError.self) { try manager.startListening { _ in } }
        #expect(error?.code == .invalidConfiguration)
    }

    /// A lookup that hangs holds nothing but its own queue.
    @Test func isReleasedWhileALookupRuns() async {
        weak var network: HostNetwork?
        do {
            let mine = world.network()
            network = mine
            #expect(await eventually { world.questions.count == 1 })
        }
        #expect(network == nil)
        world.answer(.notFound)
    }
}
