internal import Synchronization

/// Counts live objects, so that tests can detect leaks.
package final class LiveCounters: Sendable {
    /// The kinds of objects that are counted.
    package enum Kind: Int, CaseIterable, Sendable {
        case connections, pools, exchanges, pumps, tasks, timers, continuations, files, lookups
    }

    private let connections = Atomic<Int>(0)
    private let pools = Atomic<Int>(0)
    private let exchanges = Atomic<Int>(0)
    private let pumps = Atomic<Int>(0)
    private let tasks = Atomic<Int>(0)
    private let timers = Atomic<Int>(0)
    private let continuations = Atomic<Int>(0)
    private let files = Atomic<Int>(0)
    private let lookups = Atomic<Int>(0)

    package init() {}

    package func add(_ change: Int = 1, to kind: Kind) {
        switch kind {
        case .connections: connections.wrappingAdd(change, ordering: .relaxed)
        case .pools: pools.wrappingAdd(change, ordering: .relaxed)
        case .exchanges: exchanges.wrappingAdd(change, ordering: .relaxed)
        case .pumps: pumps.wrappingAdd(change, ordering: .relaxed)
        case .tasks: tasks.wrappingAdd(change, ordering: .relaxed)
        case .timers: timers.wrappingAdd(change, ordering: .relaxed)
        case .continuations: continuations.wrappingAdd(change, ordering: .relaxed)
        case .files: files.wrappingAdd(change, ordering: .relaxed)
        case .lookups: lookups.wrappingAdd(change, ordering: .relaxed)
        }
    }

    package func remove(from kind: Kind) {
        add(-1, to: kind)
    }

    package func count(of kind: Kind) -> Int {
        switch kind {
        case .connections: connections.load(ordering: .relaxed)
        case .pools: pools.load(ordering: .relaxed)
        case .exchanges: exchanges.load(ordering: .relaxed)
        case .pumps: pumps.load(ordering: .relaxed)
        case .tasks: tasks.load(ordering: .relaxed)
        case .timers: timers.load(ordering: .relaxed)
        case .continuations: continuations.load(ordering: .relaxed)
        case .files: files.load(ordering: .relaxed)
        case .lookups: lookups.load(ordering: .relaxed)
        }
    }

    /// All counts other than zero, by name.
    package var nonZero: [String: Int] {
        var counts: [String: Int] = [:]
        for kind in Kind.allCases where count(of: kind) != 0 { counts["\(kind)"] = count(of: kind) }
        return counts
    }
}
