#if !canImport(Darwin)
    internal import ApusCore
    internal import Testing

    @testable internal import ApusReachability

    /// The kernel of this machine. `NetworkNamespaceTests` changes one.
    @Suite struct RouteNetworkTests {
        private func status(_ text: String) throws -> ReachabilityStatus {
            RouteNetwork(target: .addresses([try #require(IPAddress(text))])).status()
        }

        @Test func findsTheRouteToThisMachine() throws {
            #expect(try status("127.0.0.1") == .reachable(.ethernetOrWiFi))
        }

        /// No host can be reached at these addresses.
        @Test(arguments: ["255.255.255.255", "224.0.0.1"]) func findsNoRouteToManyHosts(text: String) throws {
            #expect(try status(text) == .notReachable)
        }

        @Test func knowsAllTargets() {
            let allowed: [ReachabilityStatus] = [.notReachable, .reachable(.ethernetOrWiFi), .reachable(.cellular)]
            #expect(allowed.contains(RouteNetwork(target: .anywhere).status()))
            #expect(allowed.contains(RouteNetwork(target: .interfaces).status()))
            #expect(RouteNetwork(target: .addresses([])).status() == .notReachable)
        }

        @Test func listsTheInterfacesAndAddressesOfThisMachine() throws {
            let socket = try NetlinkSocket()
            var state = NetworkState()
            for content in try socket.ask(.links, sequence: 1) { state.apply(content) }
            for content in try socket.ask(.addresses, sequence: 2) { state.apply(content) }
            let loopback = try #require(state.links.values.first { $0.isLoopback })
            let address = try #require(IPAddress("127.0.0.1"))
            #expect(loopback.name == "lo" && loopback.isRunning)
            #expect(state.addresses.contains(LinkAddress(index: loopback.index, address: address)))
            let again = try socket.ask(.link(loopback.index), sequence: 3)
            #expect(again == [.link(loopback)])
        }

        @Test func reportsErrorsOfTheKernel() throws {
            let socket = try NetlinkSocket()
            let error = #expect(throws: NetlinkSocket.Failure.self) { try socket.ask(.link(0x7FFF_FFFF), sequence: 1) }
            // ENODEV
            #expect(error?.number == 19)
            // The socket can be used afterwards.
            #expect(try socket.ask(.links, sequence: 2).isEmpty == false)
        }

        @Test func receivesNothingWithoutChanges() throws {
            guard case .nothing = try NetlinkSocket().receive() else {
                Issue.record("a socket without groups has received a change")
                return
            }
        }
    }
#endif
