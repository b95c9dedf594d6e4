internal import Apus
internal import ApusCore
internal import Dispatch
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Tells whenever the kernel changes an interface, an address or a route, until it is let go.
final class RouteWatch: Sendable {
    private let source: Lock<any DispatchSourceRead>

    /// - Parameters:
    ///   - queue: Where `changed` is called.
    ///   - changed: Told that something changed, and not what.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, where the process may not ask the kernel.
    init(on queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void) throws(ApusError) {
        let descriptor = RouteSocket.changes()
        guard descriptor >= 0 else {
            throw ApusError(
                .invalidConfiguration,
                "the kernel does not let the process watch its routes: \(String(cString: strerror(errno)))"
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

    /// Takes what has come; what it says is found out anew.
    private static func drain(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            for _ in 0..<64 where read(descriptor, buffer.baseAddress, buffer.count) <= 0 { return }
        }
    }
}
