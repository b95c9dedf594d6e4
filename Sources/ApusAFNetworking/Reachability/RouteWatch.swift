internal import Apus
internal import ApusCore
internal import ApusPlatform
internal import Dispatch
internal import Foundation

/// Reports changes of the kernel's interfaces, addresses and routes, until it is released.
final class RouteWatch: Sendable {
    private let source: Lock<any DispatchSourceRead>

    /// - Parameters:
    ///   - queue: The queue of `changed`.
    ///   - changed: Called after any change, without details.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the process may not watch the kernel's routes.
    init(on queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void) throws(ApusError) {
        let descriptor = RouteSocket.changes()
        guard descriptor >= 0 else {
            throw ApusError(
                .invalidConfiguration,
                "the process is not allowed to watch the kernel's routes: \(String(cString: strerror(errno)))"
            )
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            Self.drain(descriptor)
            changed()
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        self.source = Lock(source)
    }

    deinit { source.withLock { $0.cancel() } }

    /// Discards the messages, because the status is read again after any change.
    private static func drain(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            for _ in 0..<64 where read(descriptor, buffer.baseAddress, buffer.count) <= 0 { return }
        }
    }
}
