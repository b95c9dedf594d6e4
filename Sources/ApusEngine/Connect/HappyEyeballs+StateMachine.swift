/// Which address is tried when: RFC 8305 §4 and §5. Families take turns; the next address is tried when the last one
/// has failed, or has not answered for a while; the first that answers wins.
struct HappyEyeballsStateMachine {
    private let count: Int
    private var next = 0
    private var underWay: Set<Int> = []
    private var isOver = false

    /// - Parameter count: How many addresses there are, in the order of `interleaved`.
    init(count: Int) {
        self.count = count
    }

    /// Addresses in the order in which they are tried: the preferred one first, then families by turns.
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
        case giveUp
    }

    /// Begins, or goes on because the last attempt has not answered for a while.
    mutating func proceed() -> Action {
        if count == 0, !isOver {
            isOver = true
            return .giveUp
        }
        guard !isOver, next < count else { return .wait }
        defer { next += 1 }
        underWay.insert(next)
        return .attempt(next)
    }

    /// An attempt failed.
    mutating func failed(_ index: Int) -> Action {
        underWay.remove(index)
        guard !isOver else { return .wait }
        if next < count { return proceed() }
        guard underWay.isEmpty else { return .wait }
        isOver = true
        return .giveUp
    }

    /// An attempt succeeded: `nil` where another one had before, else those that are to be given up.
    mutating func succeeded(_ index: Int) -> Set<Int>? {
        guard !isOver else { return nil }
        isOver = true
        underWay.remove(index)
        return underWay
    }

    /// Nobody wants a connection any more; those that are to be given up.
    mutating func cancel() -> Set<Int> {
        isOver = true
        return underWay
    }

    /// Whether there is an address to go on with.
    var hasMore: Bool { !isOver && next < count }
}
