import Apus
import ApusCore
import ApusEngine
import ApusTestServer
import Dispatch

/// The name servers of a test: those of hosts that begin with `dead` say nothing until they are let go, and then that
/// there is no such host; all other hosts are on this machine.
final class HeldHosts: Sendable {
    /// The lookups that were begun.
    let begun = Tally()
    private let door = DispatchSemaphore(value: 0)
    private let isFull = Gate()
    private let wanted: Int

    /// - Parameter wanted: How many lookups of dead hosts `areHeld` waits for.
    init(wanted: Int = 1) {
        self.wanted = wanted
    }

    private let heldCount = Tally()

    var resolver: SystemResolver {
        SystemResolver { [self] host in
            begun.countUp()
            guard host.hasPrefix("dead") else { return .success([HostAddress("127.0.0.1", isIPv6: false)]) }
            if heldCount.countUp() == wanted { isFull.open() }
            door.wait()
            door.signal()
            return .failure(ApusError(.hostNotFound, "there is no '\(host)'"))
        }
    }

    /// Returns when so many lookups hang as were wanted.
    func areHeld() async { await isFull.wait() }

    /// Lets go of all lookups, now and later.
    func letGo() { door.signal() }
}
