internal import Apus
internal import ApusCore
internal import ApusReachability
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusAFNetworking

@Suite(.timeLimit(.minutes(5))) struct AFNetworkReachabilityManagerTests {
    private static func manager(_ network: FakeNetwork) -> AFNetworkReachabilityManager {
        AFNetworkReachabilityManager(NetworkReachabilityManager(network: network))
    }

    /// Waits for work that is already on the main queue.
    private func drainMainQueue() async { await MainActor.run {} }

    /// Parity: AFN-reachability
    @Test func reportsTheFirstStatusAndEachChange() async throws {
        let network = FakeNetwork(.reachable(.ethernetOrWiFi))
        let manager = Self.manager(network)
        #expect(manager.networkReachabilityStatus == .unknown)
        #expect(!manager.isReachable)
        let seen = LockedList<AFNetworkReachabilityStatus>()
        let posted = PostedNotification(.AFNetworkingReachabilityDidChange, about: manager)
        manager.setReachabilityStatusChange { seen.append($0) }
        try manager.startMonitoring()
        let info = await posted.userInfo
        #expect(info[AFNetworkingKeys.reachabilityStatus] as? AFNetworkReachabilityStatus == .reachableViaWiFi)
        #expect(manager.isReachable && manager.isReachableViaWiFi && !manager.isReachableViaWWAN)
        for status in [
            ReachabilityStatus.reachable(.ethernetOrWiFi), .notReachable, .notReachable, .reachable(.cellular),
        ] {
            network.become(status)
            #expect(await eventually { manager.networkReachabilityStatus == AFNetworkReachabilityStatus(status) })
        }
        #expect(await eventually { seen.all.count == 3 })
        #expect(seen.all == [.reachableViaWiFi, .notReachable, .reachableViaWWAN])
        #expect(await eventually { posted.count == 3 })
        #expect(manager.isReachable && manager.isReachableViaWWAN)
        #expect(manager.description == "Reachable via WWAN")
    }

    /// Parity: AFN-reachability
    @Test func reportsNothingAfterItStops() async throws {
        let network = FakeNetwork(.notReachable)
        let manager = Self.manager(network)
        let seen = LockedList<AFNetworkReachabilityStatus>()
        manager.setReachabilityStatusChange { seen.append($0) }
        try manager.startMonitoring()
        #expect(await eventually { seen.all.count == 1 })
        manager.stopMonitoring()
        #expect(!network.isWatched)
        network.become(.reachable(.ethernetOrWiFi))
        #expect(manager.networkReachabilityStatus == .notReachable)
        // A restarted manager reports its status in any case.
        try manager.startMonitoring()
        #expect(await eventually { seen.all == [.notReachable, .reachableViaWiFi] })
        manager.setReachabilityStatusChange(nil)
        network.become(.notReachable)
        #expect(await eventually { manager.networkReachabilityStatus == .notReachable })
        await drainMainQueue()
        #expect(seen.all.count == 2)
    }

    @Test func stopsWhenItIsReleased() async throws {
        let network = FakeNetwork(.notReachable)
        weak var manager: AFNetworkReachabilityManager?
        do {
            let mine = Self.manager(network)
            manager = mine
            try mine.startMonitoring()
            #expect(network.isWatched)
        }
        #expect(await eventually { manager == nil && !network.isWatched })
        network.become(.reachable(.ethernetOrWiFi))
    }

    @Test func throwsIfTheNetworkCannotBeWatched() {
        let refusal = ApusError(.invalidConfiguration, "no")
        let manager = Self.manager(FakeNetwork(.reachable(.ethernetOrWiFi), refusing: refusal))
        let error = #expect(throws: ApusError.self) { try manager.startMonitoring() }
        #expect(error?.code == .invalidConfiguration)
        #expect(manager.networkReachabilityStatus == .unknown)
    }

    @Test func canBeReplacedInAManager() {
        let manager = HTTPSessionManager()
        #expect(manager.reachabilityManager === AFNetworkReachabilityManager.shared)
        let mine = AFNetworkReachabilityManager()
        manager.reachabilityManager = mine
        #expect(manager.copy().reachabilityManager === mine)
    }

    // MARK: Kernel routes

    /// Parity: AFN-reachability-domain
    @Test func findsTheRouteToThisMachine() async throws {
        let manager = try AFNetworkReachabilityManager(forAddress: "127.0.0.1")
        try manager.startMonitoring()
        #expect(await eventually { manager.networkReachabilityStatus == .reachableViaWiFi })
        manager.stopMonitoring()
    }

    /// Parity: AFN-reachability-domain
    @Test func findsTheRouteToADomain() async throws {
        let manager = try AFNetworkReachabilityManager(forDomain: "localhost")
        let (statuses, continuation) = AsyncStream.makeStream(of: AFNetworkReachabilityStatus.self)
        manager.setReachabilityStatusChange { continuation.yield($0) }
        try manager.startMonitoring()
        // It is unknown until the domain was looked up.
        for await status in statuses where status != .unknown {
            #expect(status == .reachableViaWiFi)
            break
        }
        manager.stopMonitoring()
    }

    @Test(arguments: ["", "http://localhost/", "a b"]) func rejectsTextsThatAreNoDomains(domain: String) {
        let error = #expect(throws: ApusError.self) { try AFNetworkReachabilityManager(forDomain: domain) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(arguments: ["localhost", "", "999.1.1.1", "127.0.0.1\0", "example.org", "[::1]", "/tmp/socket"])
    func rejectsNames(address: String) {
        let error = #expect(throws: ApusError.self) { try AFNetworkReachabilityManager(forAddress: address) }
        #expect(error?.code == .invalidConfiguration)
    }
}
