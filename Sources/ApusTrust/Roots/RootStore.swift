package import ApusCore
internal import Dispatch
internal import Foundation

/// Reads roots and keeps them, by their `ServerTrust.Roots`.
///
/// Files are never read on an event loop. Callers that ask for the same roots at the same time share one reading. A
/// file that hangs holds up only the roots that it belongs to. The modification times of files are compared at most
/// once in 60 s, and changed files are read again.
package final class RootStore: Sendable {
    /// The store of all sessions.
    package static let shared = RootStore()

    /// The minimum time between two checks of the same files.
    static let checkInterval = Duration.seconds(60)
    /// The maximum number of roots that are kept.
    static let capacity = 64
    /// The maximum number of readings at a time. Each has a thread.
    static let maximumReadings = 32

    typealias Outcome = Result<RootIndex, ApusError>

    private struct Entry {
        var index: RootIndex?
        var stamp = RootStamp()
        var checkedAt = MonotonicInstant(nanoseconds: 0)
        var use: UInt64 = 0
        var isBeingRead = false
        var waiters: [UInt64: Deferred<Outcome>] = [:]
    }

    private enum Step {
        case use(RootIndex)
        case wait
        case read
        case refuse
    }

    private struct State {
        private var entries: [ServerTrust.Roots: Entry] = [:]
        private var uses: UInt64 = 0

        /// Returns the roots if their files were checked recently.
        mutating func current(_ roots: ServerTrust.Roots, at now: MonotonicInstant) -> RootIndex? {
            // The roots are hashed once, since they may be a long text.
            guard let position = entries.index(forKey: roots), let index = entries.values[position].index,
                entries.values[position].checkedAt.duration(to: now) < RootStore.checkInterval
            else { return nil }
            uses += 1
            entries.values[position].use = uses
            return index
        }

        /// Adds a waiter, unless the roots are current or there are too many readings.
        mutating func join(
            _ roots: ServerTrust.Roots,
            _ waiter: Deferred<Outcome>,
            at now: MonotonicInstant
        ) -> (ticket: UInt64, step: Step) {
            if let index = current(roots, at: now) { return (0, .use(index)) }
            var entry = entries[roots] ?? Entry()
            let isFull = entries.values.count(where: { $0.isBeingRead }) >= RootStore.maximumReadings
            guard entry.isBeingRead || !isFull else { return (0, .refuse) }
            uses += 1
            entry.use = uses
            entry.waiters[uses] = waiter
            let step: Step = entry.isBeingRead ? .wait : .read
            entry.isBeingRead = true
            entries[roots] = entry
            return (uses, step)
        }

        mutating func withdraw(_ ticket: UInt64, from roots: ServerTrust.Roots) {
            entries[roots]?.waiters[ticket] = nil
        }

        /// Returns the roots as they were read last, with the stamp of their files.
        func known(_ roots: ServerTrust.Roots) -> (index: RootIndex, stamp: RootStamp)? {
            guard let entry = entries[roots], let index = entry.index else { return nil }
            return (index, entry.stamp)
        }

        /// Keeps the outcome of a reading. Returns its waiters.
        mutating func end(
            _ roots: ServerTrust.Roots,
            _ outcome: Outcome,
            _ stamp: RootStamp,
            at now: MonotonicInstant
        ) -> [Deferred<Outcome>] {
            let waiters = entries[roots].map { Array($0.waiters.values) } ?? []
            switch outcome {
            case .success(let index):
                uses += 1
                entries[roots] = Entry(index: index, stamp: stamp, checkedAt: now, use: uses)
            case .failure:
                // The next caller tries again.
                entries[roots] = nil
            }
            let idle = entries.filter { !$0.value.isBeingRead }
            if idle.count > RootStore.capacity, let oldest = idle.min(by: { $0.value.use < $1.value.use }) {
                entries[oldest.key] = nil
            }
            return waiters
        }
    }

    private let reader: RootReader
    private let now: @Sendable () -> MonotonicInstant
    private let state = Lock(State())

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - reader: Reads the files. Default: with the places of this system and the variables of the environment.
    ///   - now: The clock.
    init(
        reader: RootReader = RootReader { SystemRoots(environment: ProcessInfo.processInfo.environment) },
        now: @escaping @Sendable () -> MonotonicInstant = { .now }
    ) {
        self.reader = reader
        self.now = now
    }

    /// Returns the roots. Waits while they are read on another thread, unless they are kept and were checked recently.
    ///
    /// - Throws: `invalidConfiguration` if they can't be read, and `cancelled` if the waiting task is cancelled.
    package func index(for roots: ServerTrust.Roots) async throws(ApusError) -> RootIndex {
        let now = now()
        if let index = state.withLock({ $0.current(roots, at: now) }) { return index }
        let waiter = Deferred<Outcome>()
        let (ticket, step) = state.withLock { $0.join(roots, waiter, at: now) }
        switch step {
        case .use(let index): return index
        case .wait: break
        case .read: startReading(roots)
        case .refuse:
            throw ApusError(
                .invalidConfiguration,
                "the trust roots can't be read: \(Self.maximumReadings) others are already being read"
            )
        }
        return try await withTaskCancellationHandler {
            await waiter.value
        } onCancel: {
            state.withLock { $0.withdraw(ticket, from: roots) }
            waiter.fulfill(.failure(CancelReason.task.error))
        }.get()
    }

    /// Returns the roots. Reads them on the calling thread, which must not be that of an event loop, unless they are
    /// kept and were checked recently.
    ///
    /// - Throws: `invalidConfiguration` if they can't be read.
    @discardableResult
    package func load(_ roots: ServerTrust.Roots) throws(ApusError) -> RootIndex {
        let now = now()
        if let index = state.withLock({ $0.current(roots, at: now) }) { return index }
        return try read(roots).get()
    }

    private func startReading(_ roots: ServerTrust.Roots) {
        // A queue for each reading has a thread of its own, so a file that hangs holds up no other reading.
        DispatchQueue(label: "apus.roots").async { [self] in _ = read(roots) }
    }

    private func read(_ roots: ServerTrust.Roots) -> Outcome {
        // Before the files are read, so that a change in between is noticed at the next check.
        let stamp = reader.stamp(of: roots)
        let outcome: Outcome
        if let known = state.withLock({ $0.known(roots) }), known.stamp == stamp {
            outcome = .success(known.index)
        } else {
            do throws(ApusError) {
                outcome = .success(RootIndex(try reader.certificates(of: roots)))
            } catch {
                outcome = .failure(error)
            }
        }
        let end = now()
        let waiters = state.withLock { $0.end(roots, outcome, stamp, at: end) }
        for waiter in waiters { waiter.fulfill(outcome) }
        return outcome
    }
}
