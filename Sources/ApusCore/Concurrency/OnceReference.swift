internal import Synchronization

/// A reference that is set at most once, and read without a lock.
///
/// `AtomicLazyReference` does the same. The compiler does not specialize its methods, and a read costs fifty times as much.
struct OnceReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    private let stored = Atomic<Unmanaged<Object>?>(nil)

    /// Returns the object, if it is set.
    @inline(__always)
    func load() -> Object? { stored.load(ordering: .acquiring)?.takeUnretainedValue() }

    /// Sets the object, unless one is set already. Returns the one that is set.
    func storeIfNil(_ object: Object) -> Object {
        let new = Unmanaged.passRetained(object)
        let (_, current) = stored.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing)
        guard let current else { return object }
        new.release()
        return current.takeUnretainedValue()
    }

    deinit { stored.load(ordering: .acquiring)?.release() }
}
