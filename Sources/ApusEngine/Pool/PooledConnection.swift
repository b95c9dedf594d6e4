internal import ApusCore

/// A connection in a pool: HTTP/1.1, which serves one exchange at a time, or HTTP/2, which serves several.
protocol PooledConnection: AnyObject {
    /// Increases with each connection of an engine.
    var id: Int { get }

    /// The pool that it belongs to. It reports its changes to it.
    var pool: OriginPool? { get set }

    /// The number of exchanges that it has begun.
    var exchangeCount: Int { get }

    /// Whether it may serve several exchanges at a time.
    var isMultiplexed: Bool { get }

    /// The maximum number of exchanges at a time. A change is reported to the pool.
    var capacity: Int { get }

    /// Begins an exchange. `isReused` is whether the connection has served another one.
    func begin(_ exchange: Exchange, isReused: Bool)

    /// Sends the written bytes at the end of the loop's turn. Returns `false` if an exchange moves elsewhere instead.
    @discardableResult
    func flush() -> Bool

    /// Closes the connection. Its exchanges fail.
    func close()

    /// Fails the exchanges and closes the connection.
    func abort(_ error: ApusError)
}

extension PooledConnection {
    var isMultiplexed: Bool { false }

    var capacity: Int { 1 }
}
