import Apus
import ApusCore
import ApusEngine
import ApusTestServer
import Dispatch

/// The name servers of a test. Lookups of hosts that begin with `dead` hang until they are released, and then fail with
/// "no such host". All other hosts resolve to this machine.
final class HeldHosts: Sendable {
    /// The number of lookups begun.
    let begun = Tally()
    private let semaphore = DispatchSemaphore(value: 0)
    private let isFull = Gate()
    private let wanted: Int

    /// - Parameter wanted: The number of hanging lookups that `waitUntilHeld` waits for. Default: 1.
    init(wanted: Int = 1) {
        self.wanted = wanted
    }

    private let heldCount = Tally()

    var resolver: SystemResolver {
        SystemResolver { [self] host in
            begun.countUp()
            guard host.hasPrefix("dead") else { return .success([IPAddress.loopback]) }
            if heldCount.countUp() == wanted { isFull.open() }
            semaphore.wait()
            semaphore.signal()
            return .failure(ApusError(.hostNotFound, "there is no '\(host)'"))
        }
    }

    /// Returns when the wanted number of lookups hang.
    func waitUntilHeld() async { await isFull.wait() }

    /// Releases all lookups, now and later.
    func release() { semaphore.signal() }
}
