internal import ApusCore
internal import ApusPlatform

/// The outcome of a lookup of a host name.
enum HostLookup: Sendable, Hashable {
    /// The addresses of the name: at least one.
    case found([IPAddress])
    /// The name does not exist, or has no address.
    case notFound
    /// There was no answer.
    case failed

    /// At most this many addresses of a name are considered.
    static let maximumAddresses = 64

    /// Whether a text can be a host name: at most 253 letters, digits, hyphens, underscores and dots.
    static func isName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default:
                false
            }
        }
        return allowed && text.utf8.contains { $0 != UInt8(ascii: ".") }
    }

    /// Asks the resolver of the operating system. Blocks as long as the name servers do.
    @Sendable static func querySystem(_ host: String) -> HostLookup {
        var addresses: [IPAddress] = []
        let code = SystemLookup.addresses(of: host) { entry in
            guard addresses.count < maximumAddresses, let socket = entry.ai_addr,
                let address = IPAddress(socket: socket), !addresses.contains(address)
            else { return }
            addresses.append(address)
        }
        guard code == 0 else { return code == EAI_NONAME ? .notFound : .failed }
        return addresses.isEmpty ? .notFound : .found(addresses)
    }
}
