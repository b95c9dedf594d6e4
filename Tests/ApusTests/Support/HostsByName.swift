import Apus
import ApusCore
import ApusEngine
import ApusTestServer

/// Resolves hosts as their names say: no server listens at the address of those that begin with `far`, those that begin
/// with `gone` do not exist, and those that begin with `slow` wait. Others are at 127.0.0.1.
final class HostsByName: HostResolver {
    /// Open after the lookup of a slow host has begun.
    let slowHasBegun = Gate()
    /// Ends the lookups of slow hosts.
    let slowMayEnd = Gate()
    private let counts = Lock<[String: Int]>([:])

    func lookupCount(of host: String) -> Int { counts.withLock { $0[host] ?? 0 } }

    func resolve(_ host: String, completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void) {
        counts.withLock { $0[host, default: 0] += 1 }
        if host.hasPrefix("gone") { return completion(.failure(ApusError(.hostNotFound, "no \(host)"))) }
        guard host.hasPrefix("slow") else {
            return completion(.success([.v4(127, 0, 0, host.hasPrefix("far") ? 2 : 1)]))
        }
        slowHasBegun.open()
        let slowMayEnd = slowMayEnd
        Task {
            await slowMayEnd.wait()
            completion(.success([IPAddress.loopback]))
        }
    }
}
