internal import Apus
internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

@testable internal import ApusAFNetworking

@Suite(.timeLimit(.minutes(5))) struct AFNetworkReachabilityManagerTests {
    /// A network whose status the test sets.
    private final class Network: Sendable {
        private final class Watch: Sendable {}

        private struct State {
            var status: AFNetworkReachabilityStatus
            var changed: (@Sendable () -> Void)?
            weak var watch: Watch?
        }

        private let state: Lock<State>

        init(_ status: AFNetworkReachabilityStatus) {
            self.state = Lock(State(status: status))
        }

        var isWatched: Bool { state.withLock { $0.watch != nil } }

        func become(_ status: AFNetworkReachabilityStatus) {
            let changed = state.withLock { state in
                state.status = status
                return state.changed
            }
            changed?()
        }

        func manager() -> AFNetworkReachabilityManager {
            AFNetworkReachabilityManager(
                probe: { self.state.withLock { $0.status } },
                watch: { (queue, changed) throws(ApusError) in
                    let watch = Watch()
                    self.state.withLock { state in
                        state.watch = watch
                        state.changed = { queue.async(execute: changed) }
                    }
                    return watch
                }
            )
        }
    }

    /// Waits for work that is already on the main queue.
    private func drainMainQueue() async { await MainActor.run {} }

    /// Parity: AF-reachability, AF-reachability-status
    @Test func reportsTheFirstStatusAndEachChange() async throws {
        let network = Network(.reachableViaWiFi)
        let manager = network.manager()
        #expect(manager.networkReachabilityStatus == .unknown)
        #expect(!manager.isReachable)
        let seen = LockedList<AFNetworkReachabilityStatus>()
        let posted = PostedNotification(.AFNetworkingReachabilityDidChange, about: manager)
        manager.setReachabilityStatusChange { seen.append($0) }
        try manager.startMonitoring()
        let info = await posted.userInfo
        #expect(info[AFNetworkingKeys.reachabilityStatus] as? AFNetworkReachabilityStatus == .reachableViaWiFi)
        #expect(manager.isReachable && manager.isReachableViaWiFi && !manager.isReachableViaWWAN)
        for status in [AFNetworkReachabilityStatus.reachableViaWiFi, .notReachable, .notReachable, .reachableViaWWAN] {
            network.become(status)
            #expect(await eventually { manager.networkReachabilityStatus == status })
        }
        #expect(await eventually { seen.all.count == 3 })
        #expect(seen.all == [.reachableViaWiFi, .notReachable, .reachableViaWWAN])
        #expect(await eventually { posted.count == 3 })
        #expect(manager.isReachable && manager.isReachableViaWWAN)
        #expect(manager.description == "Reachable via WWAN")
    }

    /// Parity: AF-reachability
    @Test func reportsNothingAfterItStops() async throws {
        let network = Network(.notReachable)
        let manager = network.manager()
        let seen = LockedList<AFNetworkReachabilityStatus>()
        manager.setReachabilityStatusChange { seen.append($0) }
        try manager.startMonitoring()
        #expect(await eventually { seen.all.count == 1 })
        manager.stopMonitoring()
        #expect(!network.isWatched)
        network.become(.reachableViaWiFi)
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
        let network = Network(.notReachable)
        weak var manager: AFNetworkReachabilityManager?
        do {
            let mine = network.manager()
            manager = mine
            try mine.startMonitoring()
            #expect(network.isWatched)
        }
        #expect(await eventually { manager == nil && !network.isWatched })
        network.become(.reachableViaWiFi)
    }

    @Test func throwsIfTheNetworkCannotBeWatched() {
        let manager = AFNetworkReachabilityManager(
            probe: { .reachableViaWiFi },
            watch: { _, _ throws(ApusError) in throw ApusError(.invalidConfiguration, "no") }
        )
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

    /// Parity: AF-reachability-status
    @Test func findsTheRouteToThisMachine() async throws {
        let manager = try AFNetworkReachabilityManager(forAddress: "127.0.0.1")
        try manager.startMonitoring()
        #expect(await eventually { manager.networkReachabilityStatus == .reachableViaWiFi })
        manager.stopMonitoring()
    }

    /// No host can be reached at the broadcast address.
    @Test func findsNoRouteToTheBroadcastAddress() throws {
        #expect(try RouteProbe(address: "255.255.255.255").status == .notReachable)
    }

    @Test func probesAnyAddress() {
        #expect([.notReachable, .reachableViaWiFi, .reachableViaWWAN].contains(RouteProbe.anywhere.status))
    }

    @Test(arguments: ["localhost", "", "999.1.1.1", "127.0.0.1\0", "example.org", "[::1]", "/tmp/socket"])
    func rejectsNames(address: String) {
        let error = #expect(throws: ApusError.self) { try AFNetworkReachabilityManager(forAddress: address) }
        #expect(error?.code == .invalidConfiguration)
    }
}
