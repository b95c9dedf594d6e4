internal import ApusCore
internal import ApusTestSupport
internal import Dispatch
internal import Testing

@testable internal import ApusReachability

@Suite(.timeLimit(.minutes(5))) struct NetworkReachabilityManagerTests {
    private let queue = TestQueue("listener")

    /// Parity: AF-reachability, AF-reachability-status
    @Test func reportsTheCurrentStatusAndEachChange() async throws {
        let network = FakeNetwork(.notReachable)
        let manager = NetworkReachabilityManager(network: network)
        let seen = LockedList<ReachabilityStatus>()
        let queues = LockedList<String?>()
        try manager.startListening(onQueue: queue.queue) { status in
            queues.append(TestQueue.current)
            seen.append(status)
        }
        #expect(await eventually { seen.all == [.notReachable] })
        #expect(!manager.isReachable)
        network.become(.reachable(.ethernetOrWiFi))
        #expect(await eventually { seen.count == 2 })
        #expect(manager.isReachable && manager.isReachableOnEthernetOrWiFi && !manager.isReachableOnCellular)
        network.become(.reachable(.ethernetOrWiFi))
        network.become(.reachable(.cellular))
        #expect(await eventually { seen.count == 3 })
        #expect(manager.isReachable && manager.isReachableOnCellular && !manager.isReachableOnEthernetOrWiFi)
        #expect(seen.all == [.notReachable, .reachable(.ethernetOrWiFi), .reachable(.cellular)])
        #expect(queues.all == ["listener", "listener", "listener"])
        manager.stopListening()
    }

    /// Parity: AF-reachability
    @Test func reportsNothingAfterItStops() async throws {
        let network = FakeNetwork(.notReachable)
        let manager = NetworkReachabilityManager(network: network)
        let seen = LockedList<ReachabilityStatus>()
        try manager.startListening(onQueue: queue.queue) { seen.append($0) }
        #expect(await eventually { seen.count == 1 })
        manager.stopListening()
        manager.stopListening()
        #expect(!network.isWatched)
        network.become(.reachable(.cellular))
        #expect(manager.status == .reachable(.cellular))
        // A restarted manager reports its status in any case.
        try manager.startListening(onQueue: queue.queue) { seen.append($0) }
        #expect(await eventually { seen.all == [.notReachable, .reachable(.cellular)] })
        #expect(network.watchCount == 2)
    }

    @Test func replacesItsListener() async throws {
        let network = FakeNetwork(.notReachable)
        let manager = NetworkReachabilityManager(network: network)
        let (first, second) = (LockedList<ReachabilityStatus>(), LockedList<ReachabilityStatus>())
        try manager.startListening(onQueue: queue.queue) { first.append($0) }
        #expect(await eventually { first.count == 1 })
        try manager.startListening(onQueue: queue.queue) { second.append($0) }
        network.become(.reachable(.ethernetOrWiFi))
        #expect(await eventually { second.all.last == .reachable(.ethernetOrWiFi) })
        #expect(first.count == 1)
    }

    @Test func canStopInItsFirstCall() async throws {
        let network = FakeNetwork(.notReachable)
        let manager = NetworkReachabilityManager(network: network)
        let seen = LockedList<ReachabilityStatus>()
        try manager.startListening(onQueue: queue.queue) { [weak manager] status in
            seen.append(status)
            manager?.stopListening()
        }
        #expect(await eventually { !network.isWatched && seen.count == 1 })
        network.become(.reachable(.cellular))
        #expect(seen.all == [.notReachable])
    }

    /// A listener that is blocked gets all statuses afterwards, in order.
    @Test func reportsInOrderToASlowListener() async throws {
        let network = FakeNetwork(.notReachable)
        let manager = NetworkReachabilityManager(network: network)
        let seen = LockedList<ReachabilityStatus>()
        queue.queue.suspend()
        try manager.startListening(onQueue: queue.queue) { seen.append($0) }
        var expected: [ReachabilityStatus] = [.notReachable]
        for await status in manager.statuses {
            #expect(status == expected.last)
            guard expected.count < 5 else { break }
            let next: ReachabilityStatus = expected.count % 2 == 0 ? .notReachable : .reachable(.cellular)
            expected.append(next)
            network.become(next)
        }
        queue.queue.resume()
        #expect(await eventually { seen.all == expected })
    }

    @Test func stopsWhenItIsReleased() async throws {
        let network = FakeNetwork(.notReachable)
        weak var manager: NetworkReachabilityManager?
        do {
            let mine = NetworkReachabilityManager(network: network)
            manager = mine
            try mine.startListening(onQueue: queue.queue) { _ in }
            #expect(network.isWatched)
        }
        #expect(await eventually { manager == nil && !network.isWatched })
        network.become(.reachable(.ethernetOrWiFi))
    }

    @Test func throwsIfTheNetworkCannotBeWatched() async {
        let network = FakeNetwork(.reachable(.cellular), refusing: ApusError(.invalidConfiguration, "no"))
        let manager = NetworkReachabilityManager(network: network)
        let error = #expect(throws: ApusError.self) { try manager.startListening { _ in } }
        #expect(error?.code == .invalidConfiguration)
        #expect(manager.isReachable)
        // The sequence has no error.
        var seen: [ReachabilityStatus] = []
        for await status in manager.statuses { seen.append(status) }
        #expect(seen == [.reachable(.cellular)])
        #expect(network.watchCount == 0)
    }

    // MARK: Sequences

    /// Parity: AF-reachability
    @Test func hasItsStatusesAsASequence() async throws {
        let network = FakeNetwork(.notReachable)
        let manager = NetworkReachabilityManager(network: network)
        var seen: [ReachabilityStatus] = []
        for await status in manager.statuses {
            seen.append(status)
            guard seen.count < 3 else { break }
            network.become(seen.count == 1 ? .reachable(.cellular) : .notReachable)
        }
        #expect(seen == [.notReachable, .reachable(.cellular), .notReachable])
        #expect(await eventually { !network.isWatched })
    }

    @Test func endsTheSequenceOfACancelledTask() async throws {
        let network = FakeNetwork(.notReachable)
        let seen = LockedList<ReachabilityStatus>()
        let task = Task {
            // The sequence needs no reference to its manager.
            for await status in NetworkReachabilityManager(network: network).statuses { seen.append(status) }
        }
        #expect(await eventually { seen.count == 1 })
        #expect(network.isWatched)
        task.cancel()
        await task.value
        #expect(await eventually { !network.isWatched })
    }

    @Test func sharesOneWatchAmongAllReaders() async throws {
        let network = FakeNetwork(.notReachable)
        let manager = NetworkReachabilityManager(network: network)
        let seen = LockedList<ReachabilityStatus>()
        try manager.startListening(onQueue: queue.queue) { seen.append($0) }
        let tasks = (0..<8).map { _ in
            Task {
                for await status in manager.statuses {
                    seen.append(status)
                    if status != .notReachable { break }
                }
            }
        }
        #expect(await eventually { seen.count == 9 })
        #expect(network.watchCount == 1)
        network.become(.reachable(.ethernetOrWiFi))
        for task in tasks { await task.value }
        #expect(await eventually { seen.count == 18 })
        #expect(network.isWatched)
        manager.stopListening()
        #expect(await eventually { !network.isWatched })
    }

    /// Subscribers that come and go at any time leave no watch behind, and lose none that is needed.
    @Test func watchesWhileSubscribersComeAndGo() async throws {
        let network = FakeNetwork(.notReachable)
        let manager = NetworkReachabilityManager(network: network)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    for await status in manager.statuses {
                        network.become(number % 2 == 0 ? .reachable(.cellular) : .reachable(.ethernetOrWiFi))
                        if status != .notReachable || number % 3 == 0 { break }
                    }
                }
            }
        }
        #expect(await eventually { !network.isWatched })
        #expect(network.watchCount > 0)
    }

    // MARK: Targets

    @Test(arguments: ["localhost", "", "999.1.1.1", "127.0.0.1\0", "example.org", "[::1]", "::1%", "/tmp/socket"])
    func acceptsOnlyAddressesAsAddresses(address: String) {
        let error = #expect(throws: ApusError.self) { try NetworkReachabilityManager(address: address) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(arguments: ["", ".", "a b", "a/b", "a:80", "http://a", "ü.example", "a\0", "[a]", "[::1", "::1]"])
    func rejectsTextsThatAreNoHosts(host: String) {
        let error = #expect(throws: ApusError.self) { try NetworkReachabilityManager(host: host) }
        #expect(error?.code == .invalidConfiguration)
    }

    /// Parity: AF-reachability-status
    @Test(arguments: ["127.0.0.1", "localhost"])
    func findsTheRouteToThisMachine(host: String) async throws {
        let manager = try NetworkReachabilityManager(host: host)
        // The first status of a name is unknown.
        for await status in manager.statuses where status != .unknown {
            #expect(status == .reachable(.ethernetOrWiFi))
            break
        }
    }

    @Test func describesEachStatus() {
        let statuses: [ReachabilityStatus] = [
            .unknown, .notReachable, .reachable(.ethernetOrWiFi), .reachable(.cellular),
        ]
        #expect(Set(statuses.map(\.description)).count == 4)
        #expect(ReachabilityStatus.best(of: statuses) == .reachable(.ethernetOrWiFi))
        #expect(ReachabilityStatus.worst(of: statuses) == .unknown)
        #expect(ReachabilityStatus.best(of: []) == .notReachable)
    }
}
