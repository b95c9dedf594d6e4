internal import NIOPosix

/// The threads for what blocks. They belong to the process, start when first needed, and are few.
enum BlockingThreads {
    /// For making TLS contexts.
    static let crypto = started(threads: 1)
    /// For resolving hosts.
    static let lookups = started(threads: 8)

    private static func started(threads: Int) -> NIOThreadPool {
        let pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
        return pool
    }
}
