package import ApusCore
internal import ApusPlatform

/// The operating system's resolver, `getaddrinfo`, on its own threads.
///
/// A lookup can't be interrupted, and takes as long as the name servers do. Concurrent lookups of the same host are
/// shared, including failures, and a lookup that no caller waits for is not started. At most 64 lookups run, and 1024
/// are queued. A further one fails at once.
package final class SystemResolver: HostResolver {
    /// The resolver for all sessions of the process.
    package static let shared = SystemResolver(lookUp: querySystem)

    private let lookups: SharedJobs<String, [IPAddress]>

    /// - Parameter lookUp: Looks up a host. It may block.
    package init(lookUp: @escaping @Sendable (_ host: String) -> Result<[IPAddress], ApusError>) {
        self.lookups = SharedJobs(
            limits: SharedJobsLimits(threadCount: 64, queuedCount: 1024),
            refusal: { refusal in
                let question = if case .isFull = refusal { "; is the name server down?" } else { "" }
                return ApusError(.resolveFailed, "the lookup was not started: \(refusal.formatted)\(question)")
            },
            work: lookUp
        )
    }

    package func resolve(_ host: String, completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void) {
        _ = lookups.run(host, completion: completion)
    }

    package func lookUp(
        _ host: String,
        completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void
    ) -> JobInterest {
        lookups.run(host, completion: completion)
    }

    @Sendable private static func querySystem(_ host: String) -> Result<[IPAddress], ApusError> {
        var addresses: [IPAddress] = []
        let code = SystemLookup.addresses(of: host) { entry in
            if let address = address(of: entry), !addresses.contains(address) { addresses.append(address) }
        }
        guard code == 0 else {
            let reason = String(cString: gai_strerror(code))
            let isUnknown = code == EAI_NONAME
            return .failure(ApusError(isUnknown ? .hostNotFound : .resolveFailed, "'\(host)': \(reason)"))
        }
        guard !addresses.isEmpty else { return .failure(ApusError(.hostNotFound, "'\(host)' has no address")) }
        return .success(addresses)
    }

    private static func address(of entry: addrinfo) -> IPAddress? {
        guard let name = entry.ai_addr else { return nil }
        let native = UnsafeRawBufferPointer(start: name, count: Int(entry.ai_addrlen))
        switch entry.ai_family {
        case AF_INET: return NativeAddress.v4(native)
        case AF_INET6: return NativeAddress.v6(native)
        default: return nil
        }
    }
}
