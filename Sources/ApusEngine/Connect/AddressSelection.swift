internal import ApusCore

/// Selects the addresses of a host that a connection may use, by the rules of its route, and puts them into the order
/// of attempts.
struct AddressSelection {
    var rules: AddressRules
    let origin: Origin
    var local: LocalAddresses?

    /// Checks a host that is an address, in any notation. Hosts that are names pass.
    ///
    /// - Throws: `addressRefused` if the guard refuses it.
    func check(host: String) throws(ApusError) {
        guard rules.guard != nil, let address = IPAddress(hostNotation: host) else { return }
        if let refusal = refusal(of: address) { throw Self.refused([refusal], of: host, address) }
    }

    /// Returns the addresses that may be used, in the order of attempts.
    ///
    /// - Parameters:
    ///   - found: The addresses of the host, in the order of preference.
    ///   - host: The host.
    ///   - turn: The number of earlier connections to the host, for `Order.rotating`.
    /// - Returns: The addresses.
    /// - Throws: `addressRefused` if the guard refuses all of them, `hostNotFound` if the host has none of the family,
    ///   or `connectFailed` if the local address can't reach it.
    func addresses(from found: [IPAddress], of host: String, turn: () -> Int) throws(ApusError) -> [IPAddress] {
        let family = found.filter { rules.family.includes($0) }
        guard !family.isEmpty else {
            guard let name = rules.family.name, !found.isEmpty else {
                throw ApusError(.hostNotFound, "'\(host)' has no usable address")
            }
            throw ApusError(.hostNotFound, "'\(host)' has no \(name) address", hint: "change addresses.family")
        }
        var refusals: [String] = []
        let allowed = family.filter { address in
            guard let reason = refusal(of: address) else { return true }
            refusals.append(reason)
            return false
        }
        guard !allowed.isEmpty else {
            throw Self.refused(refusals, of: host, family.count == 1 ? family.first : nil)
        }
        let reachable = allowed.filter { local?.canReach($0) ?? true }
        guard !reachable.isEmpty else {
            throw ApusError(
                .connectFailed,
                "'\(host)' has no address of the same family as the local address",
                hint: "change addresses.localAddress"
            )
        }
        return ordered(reachable, turn: turn)
    }

    /// Returns the reason why an address is refused. `nil` if it is allowed.
    func refusal(of address: IPAddress) -> String? { rules.guard?.refusal(of: address, for: origin) }

    private func ordered(_ addresses: [IPAddress], turn: () -> Int) -> [IPAddress] {
        var order = addresses
        switch rules.order {
        case .preferred: break
        case .randomized: order = Self.eachFamily(of: addresses) { $0.shuffled() }
        case .rotating:
            let count = turn()
            order = Self.eachFamily(of: addresses) { family in
                let start = family.isEmpty ? 0 : count % family.count
                return Array(family[start...] + family[..<start])
            }
        }
        return HappyEyeballsStateMachine.interleaved(order, isIPv6: \.isIPv6)
    }

    /// Returns the changed addresses of each family. The preferred family, that of the first one, stays the first.
    private static func eachFamily(
        of addresses: [IPAddress],
        change: ([IPAddress]) -> [IPAddress]
    ) -> [IPAddress] {
        let isIPv6 = addresses.first?.isIPv6 ?? false
        return change(addresses.filter { $0.isIPv6 == isIPv6 }) + change(addresses.filter { $0.isIPv6 != isIPv6 })
    }

    /// The maximum number of addresses that an error describes.
    private static let maximumDescribed = 4

    /// Returns the error of a host whose addresses are all refused.
    ///
    /// - Parameters:
    ///   - refusals: The reason of each address.
    ///   - host: The host.
    ///   - only: The only address of the host, which is not named twice if it is the host. `nil` if there are several.
    /// - Returns: The error.
    static func refused(_ refusals: [String], of host: String, _ only: IPAddress?) -> ApusError {
        var list = refusals.prefix(maximumDescribed).joined(separator: ", ")
        if refusals.count > maximumDescribed { list += ", and \(refusals.count - maximumDescribed) more" }
        let isHost = only.map { $0.description == host } ?? false
        return ApusError(
            .addressRefused,
            isHost ? list : "'\(host)' has no allowed address: \(list)",
            hint: "change addresses.guard"
        )
    }
}

extension AddressRules.Family {
    /// Whether the family has an address.
    fileprivate func includes(_ address: IPAddress) -> Bool {
        switch self {
        case .any: true
        case .ipv4: !address.isIPv6
        case .ipv6: address.isIPv6
        }
    }

    /// The name of the version. `nil` for both.
    fileprivate var name: String? {
        switch self {
        case .any: nil
        case .ipv4: "IPv4"
        case .ipv6: "IPv6"
        }
    }
}
