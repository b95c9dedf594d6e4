internal import ApusCore
internal import NIOCore
internal import NIOEmbedded
internal import Testing

@testable internal import ApusEngine

/// Several exchanges with one origin, and the connections that its pool opens, on a loop whose time the test moves.
///
/// All of it stays on the thread that it was made on.
final class PoolStage {
    let home: LoopEngine
    let exchanges: [Exchange]
    let switchboard = Switchboard()
    private let loop: EmbeddedEventLoop

    private init(
        _ heads: [UnsafeContinuation<ResponseMessage, any Error>],
        _ message: RequestMessage,
        _ configuration: SessionConfiguration
    ) {
        let loop = EmbeddedEventLoop()
        // A loop's time does not begin with the first exchange.
        loop.advanceTime(by: .seconds(5))
        let bound = BoundLoop(loop: loop)
        let shared = EngineShared(
            configuration: configuration,
            counters: LiveCounters(),
            resolver: SystemResolver { _ in .success([]) },
            dialer: switchboard.dialer,
            homes: [bound]
        )
        let home = LoopEngine(loop: loop, shared: shared, bound: bound)
        self.loop = loop
        self.home = home
        self.exchanges = heads.map { head in
            let record = ExchangeRecord(method: message.method, target: message.target, cause: .first, begin: home.now)
            let order = Exchange.Order(request: message, record: record, timeouts: configuration.timeouts)
            shared.counters.add(to: .exchanges)
            return Exchange(order, home: home, continuation: head)
        }
    }

    /// Plays a scene with so many exchanges from its beginning to its end, all of it on one thread.
    ///
    /// - Returns: The code of the error that each exchange ended in, in their order; `nil` where a head came.
    @discardableResult
    static func play(
        _ count: Int,
        configuring configure: (inout SessionConfiguration) -> Void = { _ in },
        _ scene: (PoolStage) throws -> Void
    ) async throws -> [ApusError.Code?] {
        let message = try RequestMessage("http://127.0.0.1/")
        var configuration = SessionConfiguration()
        configure(&configuration)
        let places = (0..<count).map { _ in Deferred<UnsafeContinuation<ResponseMessage, any Error>>() }
        let tasks = places.map { place in
            Task { () -> ApusError.Code? in
                do {
                    _ = try await withUnsafeThrowingContinuation { head in _ = place.fulfill(head) }
                    return nil
                } catch {
                    return (error as? ApusError)?.code
                }
            }
        }
        var heads: [UnsafeContinuation<ResponseMessage, any Error>] = []
        for place in places { heads.append(await place.value) }
        perform(heads, message, configuration, scene)
        var codes: [ApusError.Code?] = []
        for task in tasks { codes.append(await task.value) }
        return codes
    }

    private static func perform(
        _ heads: [UnsafeContinuation<ResponseMessage, any Error>],
        _ message: RequestMessage,
        _ configuration: SessionConfiguration,
        _ scene: (PoolStage) throws -> Void
    ) {
        let stage = PoolStage(heads, message, configuration)
        do { try scene(stage) } catch { Issue.record(error) }
        stage.clear()
    }

    /// An exchange asks the pool for a connection.
    func serve(_ number: Int) {
        home.serve(exchanges[number])
        pass(.zero)
    }

    /// An exchange begins on a connection of its own, and what follows the head of its response is discarded.
    func discard(_ number: Int, _ response: String) throws -> Switchboard.Call {
        serve(number)
        let call = try #require(switchboard.calls.last)
        try call.answer()
        pass(.zero)
        try call.receive(response)
        exchanges[number].discardRest()
        return call
    }

    func pass(_ time: Duration) { loop.advanceTime(by: .nanoseconds(time.wholeNanoseconds)) }

    private func clear() {
        for exchange in exchanges { exchange.cancel() }
        home.shutDown(gracefully: false)
        pass(.zero)
        switchboard.clear()
        for kind in [LiveCounters.Kind.timers, .connections, .exchanges, .lookups] {
            #expect(home.shared.counters.count(of: kind) == 0, "\(kind)")
        }
    }
}
