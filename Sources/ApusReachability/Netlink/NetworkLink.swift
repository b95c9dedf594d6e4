internal import ApusCore

/// An interface of the kernel.
struct NetworkLink: Sendable, Hashable {
    /// Flags of an interface. The values are the same on all systems.
    struct Flags: OptionSet, Sendable, Hashable {
        let rawValue: UInt32

        static let up = Flags(rawValue: 0x1)
        static let loopback = Flags(rawValue: 0x8)
        static let running = Flags(rawValue: 0x40)
    }

    let index: UInt32
    let flags: Flags
    let name: String
    /// The kind of a virtual interface, as `ip link` shows it. Empty for a physical one.
    let kind: String

    init(index: UInt32, flags: Flags, name: String, kind: String = "") {
        self.index = index
        self.flags = flags
        self.name = name
        self.kind = kind
    }

    /// Whether it is switched on and has a carrier.
    var isRunning: Bool { flags.isSuperset(of: [.up, .running]) }

    var isLoopback: Bool { flags.contains(.loopback) }

    /// Whether its kind or its name is that of a mobile network. `ww` is the prefix of the naming schemes of the kernel
    /// and of systemd, `rmnet` and `ccmni` are the names on Android. `ppp` is a serial modem, or a fixed line.
    var isCellular: Bool {
        ["wwan", "rmnet"].contains(kind) || ["ww", "rmnet", "ccmni", "ppp"].contains { name.hasPrefix($0) }
    }
}

/// An address of an interface.
struct LinkAddress: Sendable, Hashable {
    let index: UInt32
    let address: IPAddress
}

/// A route of the kernel.
struct LinkRoute: Sendable, Hashable {
    /// The type of a route (`RTN_…`).
    enum Kind: UInt8 {
        case unicast = 1
        case local = 2
        case anycast = 4
    }

    /// The type by its number. Numbers without a case are those of routes that drop or spread packets.
    let type: UInt8
    /// The index of the interface, or `nil` if the route has several ones or none.
    let index: UInt32?

    /// Whether packets reach one host over this route.
    var isUsable: Bool { Kind(rawValue: type) != nil }
}
