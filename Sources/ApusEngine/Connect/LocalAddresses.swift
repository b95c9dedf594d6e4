internal import ApusCore
internal import NIOCore

/// The local ends of connections, one for each family of addresses.
struct LocalAddresses {
    private let addresses: [IPAddress]

    /// Finds the addresses of a rule.
    ///
    /// - Throws: `connectFailed` if the interface has none, for example because it is down.
    init(_ rule: AddressRules.LocalAddress) throws(ApusError) {
        switch rule {
        case .address(let address):
            addresses = [address]
        case .interface(let name):
            addresses = try Self.addresses(ofInterface: name)
        }
    }

    /// Whether connections to an address have a local end.
    func canReach(_ address: IPAddress) -> Bool { addresses.contains { $0.isIPv6 == address.isIPv6 } }

    /// Returns the local end of a connection to an address. `nil` if there is none of its family.
    func end(for remote: SocketAddress) -> SocketAddress? {
        guard let remote = remote.address else { return nil }
        return addresses.first { $0.isIPv6 == remote.isIPv6 }.flatMap { try? SocketAddress($0, port: 0) }
    }

    private static func addresses(ofInterface name: String) throws(ApusError) -> [IPAddress] {
        let devices: [NIONetworkDevice]
        do {
            devices = try System.enumerateDevices()
        } catch {
            throw ApusError(
                .connectFailed,
                "the network interfaces can't be read: \(TransportFailure.describe(error))",
                underlying: error
            )
        }
        let addresses = devices.filter { $0.name == name }.compactMap { $0.address?.address }
        guard !addresses.isEmpty else {
            throw ApusError(
                .connectFailed,
                "the interface '\(name)' has no address",
                hint: "change addresses.localAddress"
            )
        }
        // Link-local addresses reach no other networks.
        return addresses.filter { !$0.isLinkLocal } + addresses.filter(\.isLinkLocal)
    }
}
