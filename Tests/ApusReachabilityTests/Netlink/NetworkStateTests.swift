internal import ApusCore
internal import Testing

@testable internal import ApusReachability

@Suite struct NetworkStateTests {
    private let ethernet = NetworkLink(index: 2, flags: [.up, .running], name: "eth0")
    private let modem = NetworkLink(index: 3, flags: [.up, .running], name: "wwan0")
    private let loopback = NetworkLink(index: 1, flags: [.up, .running, .loopback], name: "lo")

    private func address(_ index: UInt32, _ text: String) throws -> NetlinkMessage.Content {
        .address(LinkAddress(index: index, address: try #require(IPAddress(text))))
    }

    private func status(after contents: [NetlinkMessage.Content]) -> ReachabilityStatus {
        var state = NetworkState()
        for content in contents { state.apply(content) }
        return state.status { _ in false }
    }

    @Test func requiresAnInterfaceAndAnAddress() throws {
        let assigned = try address(2, "10.0.0.1")
        #expect(status(after: []) == .notReachable)
        #expect(status(after: [.link(ethernet)]) == .notReachable)
        #expect(status(after: [assigned]) == .notReachable)
        #expect(status(after: [.link(ethernet), assigned]) == .reachable(.ethernetOrWiFi))
        // The order does not matter.
        #expect(status(after: [assigned, .link(ethernet)]) == .reachable(.ethernetOrWiFi))
        #expect(status(after: [.link(ethernet), try address(3, "10.0.0.1")]) == .notReachable)
    }

    @Test(arguments: ["127.0.0.1", "169.254.1.1", "fe80::1", "::1", "0.0.0.0"])
    func ignoresAddressesThatWereNotAssigned(text: String) throws {
        #expect(status(after: [.link(ethernet), try address(2, text)]) == .notReachable)
    }

    @Test func ignoresLoopback() throws {
        #expect(status(after: [.link(loopback), try address(1, "10.0.0.1")]) == .notReachable)
    }

    @Test func prefersOtherInterfacesToMobileNetworks() throws {
        let first = [NetlinkMessage.Content.link(modem), try address(3, "fd00::1")]
        #expect(status(after: first) == .reachable(.cellular))
        #expect(status(after: first + [.link(ethernet), try address(2, "10.0.0.1")]) == .reachable(.ethernetOrWiFi))
        let off = NetworkLink(index: 2, flags: [.up], name: "eth0")
        #expect(status(after: first + [.link(off), try address(2, "10.0.0.1")]) == .reachable(.cellular))
    }

    @Test func forgetsRemovedInterfacesAndAddresses() throws {
        let assigned = try address(2, "10.0.0.1")
        let up: [NetlinkMessage.Content] = [.link(ethernet), assigned]
        guard case .address(let removed) = assigned else { return }
        #expect(status(after: up + [.removedAddress(removed)]) == .notReachable)
        #expect(status(after: up + [.removedLink(ethernet)]) == .notReachable)
        // An interface with the number of a removed one does not inherit its addresses.
        #expect(status(after: up + [.removedLink(ethernet), .link(ethernet)]) == .notReachable)
        #expect(status(after: up + [.link(NetworkLink(index: 2, flags: [], name: "eth0"))]) == .notReachable)
        #expect(status(after: up + [.removedLink(modem), .rule, .overrun, .other]) == .reachable(.ethernetOrWiFi))
    }
}
