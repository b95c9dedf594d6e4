#if os(Linux)
    internal import ApusCore
    internal import ApusTestServer
    internal import ApusTestSupport
    internal import Dispatch
    internal import Foundation
    internal import Testing

    @testable internal import ApusReachability

    /// Runs `NetworkNamespaceTests` in a namespace, if one can be made.
    @Suite(.timeLimit(.minutes(5))) struct NetworkNamespaceRunTests {
        @Test(.enabled("a network namespace can be made") { await Namespace.isAvailable() && !Namespace.isInside })
        func followsARealNetwork() async throws {
            let outcome = try await Namespace.run(suite: #"ApusReachabilityTests\.NetworkNamespaceTests"#)
            let output = String(decoding: outcome.output, as: UTF8.self) + outcome.error
            #expect(outcome.status == 0, "\(output)")
            #expect(output.contains("tests in 1 suite passed"), "\(output)")
        }
    }

    /// Follows interfaces, addresses, routes and rules of a kernel as they change.
    @Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Namespace.isInside))
    struct NetworkNamespaceTests {
        /// A status, and the commands that lead to the next one.
        private struct Step {
            let status: ReachabilityStatus
            let next: String

            init(_ status: ReachabilityStatus, then next: String = "") {
                self.status = status
                self.next = next
            }
        }

        private static let up = ReachabilityStatus.reachable(.ethernetOrWiFi)

        /// An interface with a peer, which is its carrier.
        private static func add(_ name: String, _ address: String) -> String {
            """
            link add \(name) type veth peer name peer0
            address add \(address) dev \(name)
            link set peer0 up
            link set \(name) up
            """
        }

        /// Compares the statuses of a manager with the steps, and runs the commands of each step after its status.
        ///
        /// The kernel may say that an interface is down before it removes the routes. So a few other statuses may come
        /// between those of the steps.
        private func follow(_ manager: NetworkReachabilityManager, _ steps: [Step]) async throws {
            // The first process opens sockets that remain.
            try await Namespace.ip("link show lo")
            let sockets = openSockets()
            var rest = steps[...]
            var others: [ReachabilityStatus] = []
            for await status in manager.statuses {
                guard let step = rest.first else { break }
                guard status == step.status else {
                    others.append(status)
                    continue
                }
                #expect(manager.status == step.status)
                rest.removeFirst()
                guard !rest.isEmpty else { break }
                try await Namespace.ip(step.next)
            }
            #expect(rest.isEmpty)
            #expect(others.count <= 2, "\(others)")
            // The socket of the watch is closed, and those of questions were.
            #expect(await eventually { openSockets() <= sockets })
        }

        private func openSockets() -> Int {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            let targets = names.map {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            return targets.filter { $0?.hasPrefix("socket:") == true }.count
        }

        @Test func followsTheDefaultRoute() async throws {
            try await follow(
                NetworkReachabilityManager(),
                [
                    Step(.notReachable, then: Self.add("v0", "10.9.0.1/24") + "\nroute add default via 10.9.0.2"),
                    // The carrier is lost, and the route remains.
                    Step(Self.up, then: "link set peer0 down"),
                    Step(.notReachable, then: "link set peer0 up"),
                    Step(Self.up, then: "route del default"),
                    Step(.notReachable, then: "route add default via 10.9.0.2"),
                    Step(Self.up, then: "route replace unreachable default"),
                    Step(.notReachable, then: "route del unreachable default\nroute replace default via 10.9.0.2"),
                    Step(Self.up, then: "link set v0 down"),
                    Step(.notReachable, then: "link set v0 up\nroute add default via 10.9.0.2"),
                    Step(Self.up, then: "link del v0"),
                    Step(.notReachable),
                ]
            )
        }

        @Test func followsARouteOfIPv6() async throws {
            try await follow(
                NetworkReachabilityManager(),
                [
                    Step(
                        .notReachable,
                        then: Self.add("v0", "fd00::1/64 nodad") + "\n-6 route add default via fd00::2"
                    ),
                    Step(Self.up, then: "-6 route del default"),
                    Step(.notReachable, then: "-6 route add default via fd00::2"),
                    Step(Self.up, then: "link set v0 down"),
                    Step(.notReachable),
                ]
            )
            try await Namespace.ip("link del v0")
        }

        @Test func knowsMobileNetworks() async throws {
            try await follow(
                NetworkReachabilityManager(),
                [
                    Step(
                        .notReachable,
                        then: Self.add("wwan0", "10.9.0.1/24") + "\nroute add default via 10.9.0.2 metric 700"
                    ),
                    // A route that is preferred decides.
                    Step(
                        .reachable(.cellular),
                        then: """
                            link add v0 type veth peer name peer1
                            address add 10.8.0.1/24 dev v0
                            link set peer1 up
                            link set v0 up
                            route add default via 10.8.0.2 metric 100
                            """
                    ),
                    Step(Self.up, then: "link del v0"),
                    Step(.reachable(.cellular), then: "link del wwan0"),
                    Step(.notReachable),
                ]
            )
        }

        @Test func followsTheRouteToAnAddress() async throws {
            try await follow(
                try NetworkReachabilityManager(address: "10.9.0.77"),
                [
                    Step(.notReachable, then: Self.add("v0", "10.9.0.1/24")),
                    Step(Self.up, then: "route add prohibit 10.9.0.77"),
                    Step(.notReachable, then: "route del prohibit 10.9.0.77"),
                    Step(Self.up, then: "rule add to 10.9.0.77 blackhole"),
                    Step(.notReachable, then: "rule del to 10.9.0.77 blackhole"),
                    Step(Self.up, then: "address del 10.9.0.1/24 dev v0"),
                    Step(.notReachable),
                ]
            )
            try await Namespace.ip("link del v0")
        }

        @Test func followsInterfacesWithoutADefaultRoute() async throws {
            try await follow(
                .interfaces,
                [
                    Step(.notReachable, then: "link set lo up\n" + Self.add("v0", "10.9.0.1/24")),
                    Step(Self.up, then: "link set peer0 down"),
                    Step(.notReachable, then: "link set peer0 up"),
                    Step(Self.up, then: "address del 10.9.0.1/24 dev v0"),
                    Step(.notReachable, then: "address add fd00::1/64 dev v0 nodad"),
                    Step(Self.up, then: "link del v0"),
                    Step(.notReachable),
                ]
            )
        }

        /// The kernel drops messages that are not read, and the status is right afterwards.
        @Test func readsTheWholeStateAfterAnOverrun() async throws {
            try await Namespace.ip(Self.add("v0", "10.9.0.1/24"))
            let network = RouteNetwork(target: .addresses([try #require(IPAddress("10.7.0.77"))]))
            #expect(network.status() == .notReachable)
            // Their buffers hold a few messages only.
            let watched = try NetlinkSocket(groups: NetlinkSocket.allGroups, receiveBytes: 1)
            let unread = try NetlinkSocket(groups: NetlinkSocket.allGroups, receiveBytes: 1)
            let queue = DispatchQueue(label: "overrun")
            let seen = LockedList<ReachabilityStatus>()
            let watch = NetlinkWatch(watched, on: queue) { seen.append(network.status()) }
            let others = (1...200).map { "address add 10.200.0.\($0)/32 dev v0" }
            queue.suspend()
            let result = await Task {
                try await Namespace.batch(others + ["address add 10.7.0.1/24 dev v0"])
            }
            .result
            // Resumed in any case, since a suspended queue can't be released.
            queue.resume()
            try result.get()
            #expect(await eventually { seen.all.last == Self.up })
            guard case .overrun = unread.receive() else {
                Issue.record("the kernel has dropped no messages")
                return
            }
            // All addresses are in the list, which takes several datagrams.
            #expect(try NetlinkSocket().ask(.addresses, sequence: 1).count > others.count)
            withExtendedLifetime(watch) {}
            try await Namespace.ip("link del v0")
        }
    }
#endif
