/// Decides when each address is tried, by RFC 8305 §4 and §5. The address families alternate. The next address is tried
/// when the last attempt failed or has not succeeded after a delay. The first successful attempt wins.
///
/// ```
///   address   untried → tried → connected | failed | cancelled
///   race      running → over              (an attempt succeeded, all have failed, or the race was cancelled)
/// ```
struct HappyEyeballsStateMachine {
    private let count: Int
    private var next = 0
    private var underWay: Set<Int> = []
    private var isOver = false

    /// - Parameter count: The number of addresses, in the order of `interleaved`.
    init(count: Int) {
        self.count = count
    }

    /// Returns the addresses in the order of attempts: the preferred one first, then alternating between the families.
    static func interleaved<Address>(_ addresses: [Address], isIPv6: (Address) -> Bool) -> [Address] {
        guard let first = addresses.first else { return [] }
        var preferred = addresses.filter { isIPv6($0) == isIPv6(first) }[...]
        var others = addresses.filter { isIPv6($0) != isIPv6(first) }[...]
        var order: [Address] = []
        while !preferred.isEmpty || !others.isEmpty {
            if let address = preferred.popFirst() { order.append(address) }
            if let address = others.popFirst() { order.append(address) }
        }
        return order
    }

    enum Action: Equatable {
        case attempt(Int)
        case wait
        case fail
    }

    /// Starts the first attempt, or the next one after the delay.
    mutating func proceed() -> Action {
        if count == 0, !isOver {
            isOver = true
            return .fail
        }
        guard !isOver, next < count else { return .wait }
        defer { next += 1 }
        underWay.insert(next)
        return .attempt(next)
    }

    /// Handles a failed attempt.
    mutating func failed(_ index: Int) -> Action {
        underWay.remove(index)
        guard !isOver else { return .wait }
        if next < count { return proceed() }
        guard underWay.isEmpty else { return .wait }
        isOver = true
        return .fail
    }

    /// Handles a successful attempt. Returns the attempts to cancel, or `nil` if another one has already won.
    mutating func succeeded(_ index: Int) -> Set<Int>? {
        guard !isOver else { return nil }
        isOver = true
        underWay.remove(index)
        return underWay
    }

    /// Cancels the race and returns the attempts to cancel.
    mutating func cancel() -> Set<Int> {
        isOver = true
        return underWay
    }

    /// Whether an untried address is left.
    var hasMore: Bool { !isOver && next < count }
}
