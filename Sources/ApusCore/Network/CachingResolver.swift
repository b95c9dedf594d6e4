/// Keeps the answers of a resolver for a short time, and shares its lookups that are under way.
///
/// ```swift
/// configuration.resolver = CachingResolver()
/// ```
///
/// It is off by default: most systems have a cache of their own, which knows how long each answer is valid. A resolver
/// does not learn that, so a host that moves to another address may be reached late.
///
/// Lookups of the same host at the same time share one call, including its failure. The call is cancelled when no
/// caller waits for it. An answer is not used after its time, and a cancelled lookup is not kept.
public final class CachingResolver: HostResolving {
    private typealias Outcome = Result<[IPAddress], any Error>

    /// The next step of a caller.
    private enum Step {
        case take(Outcome)
        case wait(lookup: Int)
        case begin(lookup: Int)
    }

    private struct Entry {
        let outcome: Outcome
        let end: MonotonicInstant
    }

    private struct Lookup {
        let number: Int
        var waiters: [ObjectIdentifier: Deferred<Outcome>]
        var task: Task<Void, Never>?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var lookups: [String: Lookup] = [:]
        var latest = 0
    }

    private let resolver: any HostResolving
    private let maximumEntries: Int
    private let timeToLive: Duration
    private let negativeTimeToLive: Duration
    private let clock: any SessionClock
    private let state = Lock(State())

    /// Creates a cache in front of a resolver.
    ///
    /// - Parameters:
    ///   - resolver: The resolver whose answers are kept.
    ///   - maximumEntries: The maximum number of hosts. Beyond it, the answer that ends first is removed. Default:
    ///     1,000.
    ///   - timeToLive: How long addresses are kept. Default: 60 s.
    ///   - negativeTimeToLive: How long a failure, or an answer without addresses, is kept. Default: 5 s.
    ///   - clock: The clock. Pass the `time` of the session's configuration if it has another one. Default:
    ///     `SystemClock()`.
    public init(
        _ resolver: any HostResolving,
        maximumEntries: Int = 1000,
        timeToLive: Duration = .seconds(60),
        negativeTimeToLive: Duration = .seconds(5),
        clock: any SessionClock = SystemClock()
    ) {
        self.resolver = resolver
        self.maximumEntries = maximumEntries
        self.timeToLive = timeToLive
        self.negativeTimeToLive = negativeTimeToLive
        self.clock = clock
    }

    /// Returns the addresses of a host from the cache, or else from the resolver.
    ///
    /// - Throws: The error of the resolver, or `CancellationError` as soon as the task is cancelled.
    public func addresses(of host: String) async throws -> [IPAddress] {
        let answer = Deferred<Outcome>()
        let lookup: Int
        switch step(of: answer, for: host) {
        case .take(let outcome):
            return try outcome.get()
        case .wait(let number):
            lookup = number
        case .begin(let number):
            lookup = number
            begin(number, of: host)
        }
        return try await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            withdraw(answer, from: lookup, of: host)
        }.get()
    }

    /// Removes all answers. Lookups that are under way continue, and their answers are kept.
    public func removeAll() {
        state.withLock { $0.entries = [:] }
    }

    private func step(of answer: Deferred<Outcome>, for host: String) -> Step {
        let now = clock.now
        return state.withLock { state -> Step in
            if let entry = state.entries[host] {
                if now < entry.end { return .take(entry.outcome) }
                state.entries[host] = nil
            }
            if let number = state.lookups[host]?.number {
                state.lookups[host]?.waiters[ObjectIdentifier(answer)] = answer
                return .wait(lookup: number)
            }
            state.latest += 1
            state.lookups[host] = Lookup(number: state.latest, waiters: [ObjectIdentifier(answer): answer])
            return .begin(lookup: state.latest)
        }
    }

    private func begin(_ number: Int, of host: String) {
        // Detached, since the lookup outlives the task that began it if another one waits too.
        let task = Task.detached { [self] in
            do {
                end(number, of: host, .success(try await resolver.addresses(of: host)))
            } catch {
                end(number, of: host, .failure(error))
            }
        }
        let isUnderWay = state.withLock { state -> Bool in
            guard state.lookups[host]?.number == number else { return false }
            state.lookups[host]?.task = task
            return true
        }
        // It has ended, or its callers have withdrawn.
        if !isUnderWay { task.cancel() }
    }

    private func end(_ number: Int, of host: String, _ outcome: Outcome) {
        let now = clock.now
        let isCancelled =
            if case .failure(let error) = outcome {
                error is CancellationError || (error as? ApusError)?.isCancelled == true
            } else {
                false
            }
        let waiters = state.withLock { state -> [Deferred<Outcome>] in
            guard let lookup = state.lookups[host], lookup.number == number else { return [] }
            state.lookups[host] = nil
            if !isCancelled { keep(outcome, for: host, now, in: &state) }
            return Array(lookup.waiters.values)
        }
        for waiter in waiters { waiter.fulfill(outcome) }
    }

    private func keep(_ outcome: Outcome, for host: String, _ now: MonotonicInstant, in state: inout State) {
        let isPositive = if case .success(let addresses) = outcome { !addresses.isEmpty } else { false }
        let duration = isPositive ? timeToLive : negativeTimeToLive
        guard maximumEntries > 0, duration > .zero else { return }
        if state.entries.count >= maximumEntries {
            state.entries = state.entries.filter { now < $0.value.end }
        }
        if state.entries.count >= maximumEntries, let first = state.entries.min(by: { $0.value.end < $1.value.end }) {
            state.entries[first.key] = nil
        }
        state.entries[host] = Entry(outcome: outcome, end: now.advanced(by: duration))
    }

    /// Ends the wait of a cancelled caller. The last one cancels the lookup.
    private func withdraw(_ answer: Deferred<Outcome>, from number: Int, of host: String) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard state.lookups[host]?.number == number else { return nil }
            state.lookups[host]?.waiters[ObjectIdentifier(answer)] = nil
            guard state.lookups[host]?.waiters.isEmpty == true else { return nil }
            return state.lookups.removeValue(forKey: host)?.task
        }
        task?.cancel()
        answer.fulfill(.failure(CancellationError()))
    }
}
