#if !canImport(Darwin)
    internal import ApusCore
    internal import Dispatch

    /// Reports changes of the kernel's interfaces, addresses and routes, until it is released.
    final class NetlinkWatch: Sendable {
        /// A watch reads at most this many datagrams before it reports a change, so that a flood delays no report.
        private static let maximumDatagrams = 64

        private let source: Lock<any DispatchSourceRead>

        /// - Parameters:
        ///   - queue: The queue of `changed`.
        ///   - changed: Called after any change, without details.
        /// - Throws: `ApusError` with the code `invalidConfiguration` if the process may not watch the kernel's routes.
        convenience init(on queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void) throws(ApusError) {
            self.init(try NetlinkSocket(groups: NetlinkSocket.allGroups), on: queue, changed)
        }

        /// - Parameters:
        ///   - socket: The socket that receives the changes.
        ///   - queue: The queue of `changed`.
        ///   - changed: Called after any change, without details.
        init(_ socket: NetlinkSocket, on queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void) {
            let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
            source.setEventHandler { if Self.hasChanged(socket) { changed() } }
            // The socket may only be closed after the source has let go of it.
            source.setCancelHandler { withExtendedLifetime(socket) {} }
            source.activate()
            self.source = Lock(source)
        }

        deinit { source.withLock { $0.cancel() } }

        /// Reads the waiting messages. Returns whether one of them is about a change, or may have been.
        ///
        /// The messages themselves are not applied to anything, since the status is read again after any change. So a
        /// lost message costs nothing: the kernel reports the loss, which counts as a change.
        private static func hasChanged(_ socket: NetlinkSocket) -> Bool {
            var hasChanged = false
            for _ in 0..<maximumDatagrams {
                switch socket.receive() {
                case .nothing: return hasChanged
                case .overrun: hasChanged = true
                case .failure: return true
                case .datagram(let bytes):
                    let parser = NetlinkParser(bytes)
                    hasChanged = hasChanged || parser.isMalformed || parser.messages.contains { $0.content.isChange }
                }
            }
            return true
        }
    }
#endif
