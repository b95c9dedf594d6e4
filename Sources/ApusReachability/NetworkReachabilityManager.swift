public import ApusCore
public import Dispatch

/// Watches how a network can be reached.
///
/// ```swift
/// let reachability = NetworkReachabilityManager.default
/// try reachability.startListening { status in print(status) }
/// ```
///
/// The manager asks the kernel for its routes, and sends nothing but the lookups of a host name. A route means that a
/// request can be tried, not that a server responds: do not hold back requests because of the status.
///
/// A manager watches only while it has a listener or a reader of `statuses`. All of them share one socket.
///
/// On Linux the route of a packet decides, by the rules of the kernel: tables, rules and the state of the interface. On
/// Apple's systems it is the default path of the Network framework, and hosts and addresses are not considered.
public final class NetworkReachabilityManager: Sendable {
    /// A shared manager of the route to any address.
    public static let `default` = NetworkReachabilityManager()

    /// A manager of the interfaces: it is reachable if an interface other than loopback is up and running, and has an
    /// address that is not link-local (RFC 3927, RFC 4291 §2.5.6). A network without a default route is sufficient.
    package static let interfaces = NetworkReachabilityManager(network: SystemNetwork.network(to: .interfaces))

    private let hub: ReachabilityHub
    /// The number of the listener among the subscriptions.
    private let listener = Lock<Int?>(nil)

    /// Creates a manager of the route to any address: a default route.
    public convenience init() {
        self.init(network: SystemNetwork.network(to: .anywhere))
    }

    /// Creates a manager of the route to one address.
    ///
    /// - Parameter address: An IPv4 or IPv6 address in its usual notation, without brackets. The interface of a
    ///   link-local address follows a `%`.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if it is not an address.
    public convenience init(address: String) throws(ApusError) {
        guard let parsed = IPAddress(address) else {
            throw ApusError(.invalidConfiguration, "'\(address)' is not an IPv4 or IPv6 address")
        }
        self.init(network: SystemNetwork.network(to: .addresses([parsed])))
    }

    /// Creates a manager of the routes to a host. The host is reachable if one of its addresses is.
    ///
    /// The name is looked up on a queue of the manager, at once and whenever the network changes. The status is
    /// `unknown` until the first lookup ends, and `notReachable` if that finds no address. While the manager watches, a
    /// lookup that got no answer is repeated after 10 s. Later on, a lookup without an answer keeps the addresses.
    ///
    /// - Parameter host: A host name, or an address with or without brackets. A name with other letters than those of
    ///   ASCII must be in its encoded form (`xn--…`).
    /// - Throws: `ApusError` with the code `invalidConfiguration` if it is not a host.
    public convenience init(host: String) throws(ApusError) {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if let address = IPAddress(isBracketed ? String(host.dropFirst().dropLast()) : host) {
            self.init(network: SystemNetwork.network(to: .addresses([address])))
        } else if HostLookup.isName(host) {
            self.init(network: HostNetwork(host))
        } else {
            throw ApusError(.invalidConfiguration, "'\(host)' is not a host name")
        }
    }

    package init(network: any ObservedNetwork) {
        self.hub = ReachabilityHub(network)
    }

    deinit { stopListening() }

    /// The status now, also while nothing is watched. `unknown` if the process may not ask the kernel, and for a host
    /// name that was not looked up yet.
    public var status: NetworkReachabilityStatus { hub.status }

    /// Whether there is a route.
    public var isReachable: Bool { isReachableOnCellular || isReachableOnEthernetOrWiFi }

    /// Whether there is a route over a mobile network.
    public var isReachableOnCellular: Bool { status == .reachable(.cellular) }

    /// Whether there is a route over any other interface, wireless or wired.
    public var isReachableOnEthernetOrWiFi: Bool { status == .reachable(.ethernetOrWiFi) }

    /// Starts listening. A previous listener of the manager is replaced.
    ///
    /// The listener is called first with the current status, then with each change of it, in order if the queue is
    /// serial. It is called on the queue, never from this method, and not after `stopListening()` has returned, except
    /// for a call that has already begun. It is removed when the manager is released.
    ///
    /// - Parameters:
    ///   - queue: The queue of the listener. Default: the main queue.
    ///   - listener: Gets the status.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the process may not watch the kernel's routes.
    public func startListening(
        onQueue queue: DispatchQueue = .main,
        onUpdatePerforming listener: @escaping Listener
    ) throws(ApusError) {
        let hub = self.hub
        let deliver: ReachabilitySubscriptions.Delivery = { [weak hub] number, status in
            guard let hub else { return }
            queue.async {
                guard hub.isSubscribed(number) else { return }
                listener(status)
            }
        }
        // The number is stored before the listener can be called, since that may stop listening.
        try hub.subscribe(deliver, prepare: { replaceListener(with: $0) })
    }

    /// Stops listening. Does nothing without a listener. The readers of `statuses` are not affected.
    public func stopListening() { replaceListener(with: nil) }

    /// The current status, then each change of it. Each access returns a sequence of its own, for one reader.
    ///
    /// A slow reader gets only the latest status, which may be the same as the one before. If the process may not watch
    /// the kernel's routes, the sequence ends after the current status.
    ///
    /// ## Cancellation
    /// The sequence ends when the task that reads it is cancelled. It does not hold the manager.
    public var statuses: AsyncStream<NetworkReachabilityStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkReachabilityStatus.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let hub = self.hub
        do throws(ApusError) {
            let number = try hub.subscribe({ _, status in continuation.yield(status) })
            continuation.onTermination = { _ in hub.unsubscribe(number) }
        } catch {
            continuation.yield(hub.status)
            continuation.finish()
        }
        return stream
    }

    private func replaceListener(with number: Int?) {
        let previous = listener.withLock { listener in
            defer { listener = number }
            return listener
        }
        if let previous { hub.unsubscribe(previous) }
    }
}
