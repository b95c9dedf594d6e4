internal import Testing

@testable internal import ApusReachability

@Suite struct NetworkLinkTests {
    @Test(
        arguments: [
            ([], false), ([.up], false), ([.running], false), ([.up, .running], true),
            ([.up, .running, .loopback], true),
        ] as [(NetworkLink.Flags, Bool)]
    )
    func runsIfItIsUpAndHasACarrier(flags: NetworkLink.Flags, isRunning: Bool) {
        let link = NetworkLink(index: 1, flags: flags, name: "v0")
        #expect(link.isRunning == isRunning)
        let status: ReachabilityStatus = isRunning ? .reachable(.ethernetOrWiFi) : .notReachable
        #expect(link.status { _ in false } == status)
    }

    @Test(
        arguments: [
            ("eth0", "", false), ("wlan0", "", false), ("wlp3s0", "", false), ("docker0", "bridge", false),
            ("wwan0", "", true), ("wwp0s20u6i12", "", true), ("rmnet_data0", "", true), ("ccmni1", "", true),
            ("ppp0", "", true), ("mobile", "wwan", true), ("mobile", "rmnet", true), ("mywwan0", "", false),
            ("", "", false),
        ] as [(String, String, Bool)]
    )
    func knowsMobileNetworks(name: String, kind: String, isCellular: Bool) {
        let link = NetworkLink(index: 1, flags: [.up, .running], name: name, kind: kind)
        #expect(link.isCellular == isCellular)
        #expect(link.status { _ in false } == .reachable(isCellular ? .cellular : .ethernetOrWiFi))
        // The facts of the kernel count as well.
        #expect(link.status { $0.name == name } == .reachable(.cellular))
    }

    @Test(arguments: 0...11 as ClosedRange<UInt8>) func usesRoutesToOneHost(type: UInt8) {
        #expect(LinkRoute(type: type, index: 1).isUsable == [1, 2, 4].contains(type))
    }
}
