import Synchronization

/// A thread-safe counter.
final class Tally: Sendable {
    private let count: Atomic<Int>

    init(_ count: Int = 0) {
        self.count = Atomic(count)
    }

    var value: Int { count.load(ordering: .acquiring) }

    @discardableResult
    func countUp(by amount: Int = 1) -> Int { count.wrappingAdd(amount, ordering: .acquiringAndReleasing).newValue }

    @discardableResult
    func countDown() -> Int { countUp(by: -1) }
}
