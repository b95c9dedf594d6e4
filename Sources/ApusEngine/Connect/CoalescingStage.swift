internal import ApusCore

/// Looks for connections of other origins that serve this one too. If they serve all waiters, the setup ends.
///
/// https://www.rfc-editor.org/rfc/rfc9113.html#section-9.1.1
final class CoalescingStage: ConnectStage {
    /// Uses the connections for the waiters, which may take the addresses to another event loop. Returns whether that
    /// was enough.
    typealias Borrow = (_ entries: [CoalescableConnections.Entry], _ found: FoundAddresses) -> Bool

    private let setup: ConnectionSetup
    private let security: TLSSecurity
    private let borrow: Borrow

    init(_ setup: ConnectionSetup, _ security: TLSSecurity, borrow: @escaping Borrow) {
        self.setup = setup
        self.security = security
        self.borrow = borrow
    }

    var limit: ConnectLimit { .connect }

    var unfinished: String { "no connection of another origin was found" }

    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        if let host = setup.serverName {
            let entries = setup.engine.shared.coalescable.entries(
                for: host,
                at: setup.addresses,
                security: security,
                excluding: setup.route
            )
            setup.isCoalesced = !entries.isEmpty && borrow(entries, FoundAddresses(setup))
        }
        completion(.success(()))
    }
}
