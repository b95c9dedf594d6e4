package import ApusCore
package import Dispatch

/// A network whose status can be read, and whose changes can be watched.
package protocol ObservedNetwork: Sendable {
    /// Returns the status now. Does not block.
    func status() -> ReachabilityStatus

    /// Watches the network until the returned object is released.
    ///
    /// - Parameters:
    ///   - queue: The queue of `changed`, a serial one.
    ///   - changed: Called after a change that may affect the status.
    /// - Returns: An object that ends the watch when it is released.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the process may not watch the network.
    func watch(
        on queue: DispatchQueue,
        _ changed: @escaping @Sendable () -> Void
    ) throws(ApusError) -> any AnyObject & Sendable
}
