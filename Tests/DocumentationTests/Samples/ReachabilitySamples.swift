internal import Apus
internal import ApusResilience
internal import Testing

/// The code of the guide to reachability, and of the comment of `NetworkReachabilityManager`.
@Suite(.timeLimit(.minutes(5)))
struct ReachabilitySamples {
    private static func synchronize() async {}

    /// Only compiled, because it watches the network of the machine.
    static func watch() async throws {
        let reachability = NetworkReachabilityManager.default
        try reachability.startListening { status in print(status) }
        for await status in reachability.statuses {
            switch status {
            case .reachable(.ethernetOrWiFi): await synchronize()
            case .reachable(.cellular), .notReachable, .unknown: break
            }
        }
    }

    @Test func statuses() throws {
        let reachability = NetworkReachabilityManager()
        if reachability.status == .notReachable { print("Connect to a network, then try again.") }
        let printer = try NetworkReachabilityManager(address: "10.0.0.9")
        #expect(printer.status != .unknown || reachability.status == .unknown)
        let retrier = OfflineRetrier(watch: InterfaceWatch(connectionTypes: [.ethernetOrWiFi]))
        #expect(retrier.waitingCount == 0)
    }

    /// Only compiled, because it looks up a name.
    static func hosts() throws {
        let printer = try NetworkReachabilityManager(address: "10.0.0.9")
        let service = try NetworkReachabilityManager(host: "api.example.org")
        print(printer.status, service.status)
    }
}
