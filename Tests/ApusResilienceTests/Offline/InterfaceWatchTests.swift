internal import ApusReachability
internal import ApusTestSupport
internal import Testing

@testable internal import ApusResilience

@Suite struct InterfaceWatchTests {
    /// Parity: AF-retry-offline-interfaces
    @Test(
        arguments: [
            (.notReachable, [.ethernetOrWiFi, .cellular], false),
            (.reachable(.ethernetOrWiFi), [.ethernetOrWiFi, .cellular], true),
            (.reachable(.cellular), [.ethernetOrWiFi, .cellular], true),
            (.reachable(.cellular), [.ethernetOrWiFi], false), (.reachable(.cellular), [.cellular], true),
            (.reachable(.ethernetOrWiFi), [.cellular], false), (.reachable(.cellular), [], false),
            // Nothing is held back if the kernel does not answer.
            (.unknown, [.ethernetOrWiFi], true),
        ] as [(ReachabilityStatus, Set<NetworkReachabilityManager.ConnectionType>, Bool)]
    )
    func usesInterfacesOfTheChosenTypes(
        status: ReachabilityStatus,
        types: Set<NetworkReachabilityManager.ConnectionType>,
        isReachable: Bool
    ) {
        let manager = NetworkReachabilityManager(network: FakeNetwork(status))
        #expect(InterfaceWatch(connectionTypes: types, manager: manager).isReachable() == isReachable)
    }

    @Test func asksTheKernelAboutTheInterfaces() {
        #expect(InterfaceWatch().isReachable() == (NetworkReachabilityManager.interfaces.status != .notReachable))
        #expect(
            !InterfaceWatch(connectionTypes: []).isReachable()
                || NetworkReachabilityManager.interfaces.status == .unknown
        )
    }
}
