internal import Apus

extension Flag {
    /// The flags that control the addresses of connections.
    static let network: [Flag] = [
        Flag("4", "ipv4", "Connects over IPv4 only.") { $0.addresses.family = .ipv4 },
        Flag("6", "ipv6", "Connects over IPv6 only.") { $0.addresses.family = .ipv6 },
        Flag(
            nil,
            "resolve",
            .word("host:port:address"),
            """
            Connects to this address for the host and port, in place of a lookup. Several are separated by commas. The \
            flag may be repeated.
            """
        ) { invocation, text throws(CommandFault) in
            let (key, addresses) = try readOverride(text)
            invocation.addresses.overrides[key] = .addresses(addresses)
        },
        Flag(
            nil,
            "unix-socket",
            .file("path"),
            "Connects to a Unix socket in place of the host. https uses TLS over it."
        ) { $0.addresses.unixSocket = $1 },
        Flag(
            nil,
            "interface",
            .word("address|name"),
            "Connects from this address of this machine, or from the address of an interface."
        ) { invocation, text in
            let end: AddressRules.LocalAddress =
                if let address = IPAddress(text) { .address(address) } else { .interface(text) }
            invocation.addresses.localAddress = end
        },
        Flag(
            nil,
            "guard",
            .choice("which", GuardedAddresses.self),
            """
            Refuses all addresses but public ones, also those of redirects. Most proxies resolve names, so behind them \
            only addresses in URLs are checked.
            """
        ) { invocation, text throws(CommandFault) in
            let _: GuardedAddresses = try choice(text, of: "--guard")
            invocation.addresses.guard = .publicOnly
        },
    ]

    /// The values of `--guard`.
    enum GuardedAddresses: String, CaseIterable {
        case `public`
    }

    /// Parses the value of `--resolve`. Addresses of version 6 may be in brackets.
    private static func readOverride(_ text: String) throws(CommandFault) -> (key: String, addresses: [IPAddress]) {
        let sentence = "--resolve needs host:port:address, not '\(text)'"
        // The host may be an IPv6 address in brackets.
        let end = text.hasPrefix("[") ? text.firstIndex(of: "]") ?? text.startIndex : text.startIndex
        guard let hostEnd = text[end...].firstIndex(of: ":") else { throw CommandFault(sentence) }
        let rest = text[text.index(after: hostEnd)...]
        guard let portEnd = rest.firstIndex(of: ":"), let port = UInt16(rest[..<portEnd]), hostEnd > text.startIndex
        else {
            throw CommandFault(sentence)
        }
        var addresses: [IPAddress] = []
        for part in rest[rest.index(after: portEnd)...].split(separator: ",", omittingEmptySubsequences: false) {
            let isBracketed = part.hasPrefix("[") && part.hasSuffix("]")
            guard let address = IPAddress(String(isBracketed ? part.dropFirst().dropLast() : part)) else {
                throw CommandFault("--resolve needs an IP address, not '\(part)'")
            }
            addresses.append(address)
        }
        return ("\(text[..<hostEnd].lowercased()):\(port)", addresses)
    }
}
