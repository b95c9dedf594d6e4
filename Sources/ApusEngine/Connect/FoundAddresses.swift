internal import ApusCore
internal import NIOCore

/// The addresses that the setup of a connection has found, for another setup that continues it on another event loop.
///
/// A class, since it is passed along with each exchange.
final class FoundAddresses: Sendable {
    /// The route that they belong to. Its rules of addresses have selected them.
    let route: Route
    /// In the order in which they are tried.
    let addresses: [SocketAddress]
    let local: LocalAddresses?
    let resolveBegin: MonotonicInstant?
    let resolveEnd: MonotonicInstant?
    /// The beginning of `timeouts.connect`, which includes the lookup.
    let begin: MonotonicInstant

    /// Creates the addresses of a setup whose lookup has ended.
    init(_ setup: ConnectionSetup) {
        self.route = setup.route
        self.addresses = setup.addresses
        self.local = setup.local
        self.resolveBegin = setup.timings.resolveBegin
        self.resolveEnd = setup.timings.resolveEnd
        self.begin = setup.begin
    }
}
