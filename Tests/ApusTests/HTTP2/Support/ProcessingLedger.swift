import ApusCore

/// The requests that a server has received, each by its number. It counts how often the client sent one that the server
/// may have processed.
///
/// A GOAWAY excludes only streams that were not processed, so that it is true.
final class ProcessingLedger: Sendable {
    private struct Connection: Sendable {
        /// The last stream that was processed.
        var lastProcessed: Int32 = 0
        /// The last stream that a GOAWAY includes. `nil` before a GOAWAY.
        var lastIncluded: Int32?
        /// The numbers of the requests that are neither processed nor refused, by their streams.
        var open: [Int32: Int] = [:]
    }

    private struct State: Sendable {
        var connections: [Int: Connection] = [:]
        var arrivals: [Int]
        var counts: [Int]
    }

    private let state: Lock<State>

    /// - Parameter requestCount: The number of requests, whose numbers begin with 0.
    init(requestCount: Int) {
        let zeros = [Int](repeating: 0, count: requestCount)
        state = Lock(State(arrivals: zeros, counts: zeros))
    }

    /// Records a request. Returns how often it had arrived before, or `nil` if a GOAWAY excludes its stream.
    func arrive(_ number: Int, on stream: HTTP2ServerStream) -> Int? {
        let (id, connection) = (stream.id, stream.connection.number)
        return state.withLock { state -> Int? in
            var entry = state.connections[connection] ?? Connection()
            if let last = entry.lastIncluded, id > last { return nil }
            entry.open[id] = number
            state.connections[connection] = entry
            state.arrivals[number] += 1
            state.counts[number] += 1
            return state.arrivals[number] - 1
        }
    }

    /// Records that a request is processed. Returns `false` if it must not be, because a GOAWAY excludes its stream.
    func process(_ stream: HTTP2ServerStream) -> Bool {
        let (id, connection) = (stream.id, stream.connection.number)
        return state.withLock { state -> Bool in
            guard var entry = state.connections[connection], entry.open.removeValue(forKey: id) != nil else {
                return false
            }
            entry.lastProcessed = max(entry.lastProcessed, id)
            state.connections[connection] = entry
            return true
        }
    }

    /// Records that a request will be refused, so that the client may send it again.
    func refuse(_ stream: HTTP2ServerStream) {
        let (id, connection) = (stream.id, stream.connection.number)
        state.withLock { state in
            guard let number = state.connections[connection]?.open.removeValue(forKey: id) else { return }
            state.counts[number] -= 1
        }
    }

    /// Records that a request is over. If it was not processed, the client does not know that.
    func leave(_ stream: HTTP2ServerStream) {
        let (id, connection) = (stream.id, stream.connection.number)
        state.withLock { state in
            state.connections[connection]?.open[id] = nil
        }
    }

    /// Excludes the last streams of a connection, so that the client may send their requests again.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - choice: Any number, which selects one of the possible streams.
    /// - Returns: The last stream that is included. `nil` if there was a GOAWAY before.
    func excludeStreams(of connection: HTTP2ServerConnection, choice: Int) -> Int32? {
        let connection = connection.number
        return state.withLock { state -> Int32? in
            var entry = state.connections[connection] ?? Connection()
            guard entry.lastIncluded == nil else { return nil }
            let processed = entry.lastProcessed
            let candidates = [processed] + entry.open.keys.filter { $0 > processed }.sorted()
            let last = candidates[choice % candidates.count]
            for (id, number) in entry.open where id > last { state.counts[number] -= 1 }
            entry.open = entry.open.filter { $0.key <= last }
            entry.lastIncluded = last
            state.connections[connection] = entry
            return last
        }
    }

    /// How often each request was sent without a refusal or a GOAWAY that excludes it.
    var counts: [Int] { state.withLock { $0.counts } }

    /// The number of requests that arrived more than once.
    var repeatedCount: Int { state.withLock { state in state.arrivals.count { $0 > 1 } } }
}
