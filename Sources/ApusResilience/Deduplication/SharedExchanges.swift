/// The exchanges under way that requests share, and the requests that wait for each.
///
/// ```
///              there is none that it can join: begins one        the exchange ends
///   a request ─────────────────────────────────────────→ waits ──────────────────→ called, with all others
///     └ there is one: joins it ──────────────────────────↗ └ is cancelled: leaves
/// ```
///
/// An exchange can be joined until it ends or is closed. When its last request leaves, it is removed and its work must
/// be cancelled.
struct SharedExchanges<Key: Hashable & Sendable, Turn: Sendable, Work: Sendable>: Sendable {
    typealias ID = UInt64
    typealias Caller = Waiter<Turn>

    struct Entry: Sendable, Equatable {
        let id: ID
        /// Whether the request must start the exchange.
        let isFirst: Bool
    }

    enum Departure: Sendable {
        /// The exchange has ended. The request gets its turn.
        case tooLate
        case left
        /// No request waits any more. The work must be cancelled.
        case leftAsLast(Work?)
    }

    private struct Exchange: Sendable {
        let key: Key
        var callers = WaiterQueue<Turn>()
        var work: Work?
    }

    private var exchanges: [ID: Exchange] = [:]
    /// The exchanges that can be joined.
    private var joinable: [Key: ID] = [:]
    private var lastID: ID = 0

    /// The number of exchanges, and the number of requests that wait for them.
    var counts: (exchanges: Int, callers: Int) {
        (exchanges.count, exchanges.values.reduce(0) { $0 + $1.callers.count })
    }

    /// Adds a request.
    mutating func enter(_ key: Key, _ caller: Caller) -> Entry {
        if let id = joinable[key] {
            exchanges[id]?.callers.append(caller)
            return Entry(id: id, isFirst: false)
        }
        lastID += 1
        var exchange = Exchange(key: key)
        exchange.callers.append(caller)
        exchanges[lastID] = exchange
        joinable[key] = lastID
        return Entry(id: lastID, isFirst: true)
    }

    /// Keeps the work of an exchange, to be cancelled with it. The request that began the exchange must still wait. Has
    /// no effect if the exchange has ended.
    mutating func hold(_ work: Work, _ id: ID) {
        exchanges[id]?.work = work
    }

    /// Removes a cancelled request.
    mutating func leave(_ caller: Caller, _ id: ID) -> Departure {
        guard exchanges[id]?.callers.withdraw(caller) == true else { return .tooLate }
        guard exchanges[id]?.callers.count == 0 else { return .left }
        return .leftAsLast(remove(id)?.work)
    }

    /// Ends an exchange. Returns its requests, in the order of their arrival. The caller calls them.
    mutating func end(_ id: ID) -> [Caller] {
        guard var exchange = remove(id) else { return [] }
        return exchange.callers.removeAll()
    }

    /// Prevents further requests from joining the exchanges with certain keys.
    mutating func close(where isAffected: (Key) -> Bool) {
        joinable = joinable.filter { !isAffected($0.key) }
    }

    private mutating func remove(_ id: ID) -> Exchange? {
        guard let exchange = exchanges.removeValue(forKey: id) else { return nil }
        if joinable[exchange.key] == id { joinable[exchange.key] = nil }
        return exchange
    }
}
