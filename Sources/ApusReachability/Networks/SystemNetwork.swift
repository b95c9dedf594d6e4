/// Makes the network of the operating system.
enum SystemNetwork {
    static func network(to target: ReachabilityTarget) -> any ObservedNetwork {
        #if canImport(Network)
            PathNetwork()
        #else
            RouteNetwork(target: target)
        #endif
    }
}
