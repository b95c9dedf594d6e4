public import ApusCore

/// Controls whether hosts that ask for it are requested over https only, and where they are remembered.
///
/// ```swift
/// let page = try await session.get("http://example.org/", options: [HSTSHandling.off])
/// ```
public enum HSTSHandling: RequestOption {
    /// Uses the session's own store. In a configuration, it creates a store in memory with the session.
    case automatic
    /// Upgrades no request, and remembers no host.
    case off
    /// Uses this store, which can be shared.
    case store(HSTSStore)

    var store: HSTSStore? {
        guard case .store(let store) = self else { return nil }
        return store
    }
}

extension SessionConfiguration {
    /// Whether hosts that ask for it are requested over https only, and where they are remembered. Default: `.automatic`,
    /// a store for this session.
    public var hsts: HSTSHandling {
        get { options[HSTSHandling.self] ?? .automatic }
        set { options[HSTSHandling.self] = newValue }
    }

    /// Creates the session's store if the configuration has none.
    package mutating func provideHSTSStore() {
        if case .automatic = hsts { hsts = .store(HSTSStore(time: time)) }
    }
}

extension Session {
    /// The hosts that the session requests over https only, or `nil` if it does not use HSTS.
    public var hsts: HSTSStore? { configuration.hsts.store }
}
