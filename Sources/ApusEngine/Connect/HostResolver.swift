package import ApusCore
internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An IP address, as text: what a resolver answers with.
package struct HostAddress: Sendable, Hashable {
    /// The address in its usual notation, without brackets.
    package let text: String
    /// Whether it is of IPv6.
    package let isIPv6: Bool

    package init(_ text: String, isIPv6: Bool) {
        self.text = text
        self.isIPv6 = isIPv6
    }
}

/// Turns the name of a host into addresses.
package protocol HostResolver: Sendable {
    /// Calls `completion` once, on any thread, with the addresses in the order of preference.
    func resolve(_ host: String, completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void)
}

/// The resolver of the operating system, `getaddrinfo`, on a few threads of its own.
///
/// A lookup can't be interrupted: one that nobody waits for any more is left to end by itself.
package struct SystemResolver: HostResolver {
    /// Lookups that may wait for a thread; one more is refused, so that a dead name server can't pile them up.
    private static let pendingLimit = 1024
    private static let pending = Lock(0)

    package init() {}

    package func resolve(_ host: String, completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void) {
        let isAllowed = Self.pending.withLock { pending in
            guard pending < Self.pendingLimit else { return false }
            pending += 1
            return true
        }
        guard isAllowed else {
            return completion(
                .failure(
                    ApusError(.resolveFailed, "\(Self.pendingLimit) lookups wait already; is the name server down?")
                )
            )
        }
        BlockingThreads.lookups.submit { state in
            Self.pending.withLock { $0 -= 1 }
            guard case .active = state else {
                return completion(.failure(ApusError(.resolveFailed, "the threads for lookups have ended")))
            }
            completion(Self.lookUp(host))
        }
    }

    private static func lookUp(_ host: String) -> Result<[HostAddress], ApusError> {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_family = AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else {
            let reason = String(cString: gai_strerror(code))
            let isUnknown = code == EAI_NONAME
            return .failure(ApusError(isUnknown ? .hostNotFound : .resolveFailed, "'\(host)': \(reason)"))
        }
        var addresses: [HostAddress] = []
        var entry = list
        while let current = entry {
            if let address = text(of: current.pointee), !addresses.contains(address) { addresses.append(address) }
            entry = current.pointee.ai_next
        }
        guard !addresses.isEmpty else { return .failure(ApusError(.hostNotFound, "'\(host)' has no address")) }
        return .success(addresses)
    }

    private static func text(of entry: addrinfo) -> HostAddress? {
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard entry.ai_family == AF_INET || entry.ai_family == AF_INET6,
            getnameinfo(entry.ai_addr, entry.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return HostAddress(String(decoding: bytes, as: UTF8.self), isIPv6: entry.ai_family == AF_INET6)
    }
}
