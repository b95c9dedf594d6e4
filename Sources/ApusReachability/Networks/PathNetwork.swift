#if canImport(Network)
    internal import ApusCore
    internal import Dispatch
    internal import Network

    /// The default path of Apple's Network framework. It knows no destinations.
    final class PathNetwork: ObservedNetwork {
        /// Holds a monitor, and cancels it.
        private final class Observation: Sendable {
            let monitor: NWPathMonitor

            init(_ monitor: NWPathMonitor) {
                self.monitor = monitor
            }

            deinit { monitor.cancel() }
        }

        private let latest = Lock(ReachabilityStatus.unknown)
        private let observation = Observation(NWPathMonitor())

        init() {
            observation.monitor.pathUpdateHandler = { [weak self] in self?.note($0) }
            observation.monitor.start(queue: DispatchQueue(label: "apus.reachability.path"))
        }

        func status() -> ReachabilityStatus { latest.withLock { $0 } }

        func watch(
            on queue: DispatchQueue,
            _ changed: @escaping @Sendable () -> Void
        ) throws(ApusError) -> any AnyObject & Sendable {
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { [weak self] path in
                self?.note(path)
                changed()
            }
            monitor.start(queue: queue)
            return Observation(monitor)
        }

        private func note(_ path: NWPath) {
            let status = Self.status(of: path)
            latest.withLock { $0 = status }
        }

        private static func status(of path: NWPath) -> ReachabilityStatus {
            guard path.status == .satisfied else { return .notReachable }
            return .reachable(path.usesInterfaceType(.cellular) ? .cellular : .ethernetOrWiFi)
        }
    }
#endif
