import Apus

/// A resolver that returns the same addresses for all hosts.
struct FixedHosts: HostResolving {
    let addresses: [IPAddress]

    init(_ addresses: [IPAddress]) {
        self.addresses = addresses
    }

    func addresses(of host: String) async throws -> [IPAddress] { addresses }
}
