internal import ApusPlatform

/// A thread that runs one closure and ends.
final class DetachedThread: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Runs `body` on a new thread. Returns `false` if the system can't create one.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(DetachedThread(body))
        var handle = unusedHandle()
        let code = pthread_create(
            &handle,
            nil,
            { argument in
                pthread_detach(pthread_self())
                // The argument is optional on some systems and not on others.
                if let pointer = argument as UnsafeMutableRawPointer? {
                    Unmanaged<DetachedThread>.fromOpaque(pointer).takeRetainedValue().body()
                }
                return nil
            },
            work.toOpaque()
        )
        if code != 0 { work.release() }
        return code == 0
    }
}

#if canImport(Glibc)
    private func unusedHandle() -> pthread_t { pthread_t() }
#else
    private func unusedHandle() -> pthread_t? { nil }
#endif
