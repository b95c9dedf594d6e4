internal import ApusCore
internal import NIOCore
internal import NIOEmbedded
internal import Testing

@testable internal import ApusEngine

@Suite struct EventLoopEngineTests {
    /// A connection that runs code of the test in its flush.
    private final class FlushedConnection: PooledConnection {
        let id: Int
        weak var pool: OriginPool?
        var exchangeCount: Int { 0 }
        var flushCount = 0
        var onFlush: () -> Void = {}

        init(id: Int) {
            self.id = id
        }

        func begin(_ exchange: Exchange, isReused: Bool) {}

        func flush() -> Bool {
            flushCount += 1
            let work = onFlush
            onFlush = {}
            work()
            return true
        }

        func close() {}

        func abort(_ error: ApusError) {}
    }

    private static func engine() -> EventLoopEngine {
        let loop = EmbeddedEventLoop()
        let bound = EngineLoop(loop: loop)
        let shared = EngineContext(
            configuration: SessionConfiguration(),
            counters: LiveCounters(),
            resolver: SystemResolver.shared,
            engineLoops: [bound]
        )
        return EventLoopEngine(loop: loop, shared: shared, bound: bound)
    }

    /// A failed write may resend requests on other connections, which are flushed inside of the failed flush.
    @Test(arguments: 1...3)
    func flushesConnectionsInsideOfAFlush(count: Int) {
        let engine = Self.engine()
        let nested = (0..<count).map { FlushedConnection(id: 10 + $0) }
        let outer = FlushedConnection(id: 1)
        outer.onFlush = { for connection in nested { engine.flushAtEndOfTurn(connection) } }
        for round in 1...3 {
            engine.flushAtEndOfTurn(outer)
            #expect(outer.flushCount == round)
            #expect(nested.allSatisfy { $0.flushCount == 1 })
        }
    }
}
