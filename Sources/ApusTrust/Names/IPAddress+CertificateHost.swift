internal import ApusCore

extension IPAddress {
    /// Parses a host that is compared with the addresses of a certificate. `nil` if the host is a name.
    ///
    /// It may be in brackets. A scope is left out, since a certificate never names one. `init(_:)` takes no brackets,
    /// and requires that the interface of a scope exists.
    init?(certificateHost host: String) {
        // A text with a zero byte is no host, whichever part of it is left out.
        guard !host.utf8.contains(0) else { return nil }
        var text = host[...]
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        let plain = text.prefix { $0 != "%" }
        guard let address = IPAddress(String(plain)) else { return nil }
        guard address.isIPv6 || plain.endIndex == text.endIndex else { return nil }
        self = address
    }
}
