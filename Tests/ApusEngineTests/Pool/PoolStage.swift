internal import ApusCore
internal import NIOCore
internal import NIOEmbedded
internal import Testing

@testable internal import ApusEngine

/// Runs several exchanges with one origin, and the connections that its pool opens, on an event loop whose time the
/// test controls. Everything stays on the thread that created it.
final class PoolStage {
    /// The outcomes of a preparation: none while it waits, and one afterwards.
    final class Answer {
        fileprivate(set) var outcomes: [Result<Int, ApusError>] = []

        /// The number of idle connections, if the preparation has succeeded.
        var idleCount: Int? { try? outcomes.first?.get() }

        /// The code of the error, if it has failed.
        var code: ApusError.Code? {
            if case .failure(let error)? = outcomes.first { error.code } else { nil }
        }
    }

    let engine: EventLoopEngine
    let exchanges: [Exchange]
    let network = FakeNetwork()
    private let loop: EmbeddedEventLoop

    private init(
        _ heads: [UnsafeContinuation<ResponseMessage, any Error>],
        _ messages: [RequestMessage],
        _ configuration: SessionConfiguration
    ) {
        let loop = EmbeddedEventLoop()
        // The loop's time does not start with the first exchange.
        loop.advanceTime(by: .seconds(5))
        let bound = EngineLoop(loop: loop)
        let shared = EngineContext(
            configuration: configuration,
            counters: LiveCounters(),
            resolver: SystemResolver { _ in .success([]) },
            dialer: network.dialer,
            engineLoops: [bound]
        )
        let engine = EventLoopEngine(loop: loop, shared: shared, bound: bound)
        self.loop = loop
        self.engine = engine
        self.exchanges = zip(heads, messages).map { head, message in
            let record = ExchangeRecord(
                method: message.method,
                target: message.target,
                cause: .first,
                begin: engine.now
            )
            let input = Exchange.Input(request: message, record: record, timeouts: configuration.timeouts)
            shared.counters.add(to: .exchanges)
            return Exchange(input, engine: engine, continuation: head)
        }
    }

    /// Runs a test with `count` exchanges from beginning to end, all on one thread. The first of them have the options.
    ///
    /// - Returns: The code of each exchange's error in order, or `nil` if it received a head.
    @discardableResult
    static func run(
        _ count: Int,
        options: [RequestOptions] = [],
        configuring configure: (inout SessionConfiguration) -> Void = { _ in },
        _ body: (PoolStage) throws -> Void
    ) async throws -> [ApusError.Code?] {
        let messages = try (0..<count).map { number in
            try RequestMessage("http://127.0.0.1/", options: number < options.count ? options[number] : .none)
        }
        var configuration = SessionConfiguration()
        configure(&configuration)
        let deferredHeads = (0..<count).map { _ in Deferred<UnsafeContinuation<ResponseMessage, any Error>>() }
        let tasks = deferredHeads.map { deferredHead in
            Task { () -> Result<ResponseMessage, any Error> in
                do {
                    return .success(
                        try await withUnsafeThrowingContinuation { head in _ = deferredHead.fulfill(head) }
                    )
                } catch {
                    return .failure(error)
                }
            }
        }
        var heads: [UnsafeContinuation<ResponseMessage, any Error>] = []
        for deferredHead in deferredHeads { heads.append(await deferredHead.value) }
        perform(heads, messages, configuration, body)
        // The responses are released after the test: a released body discards its rest, on the thread that releases it.
        var codes: [ApusError.Code?] = []
        for task in tasks {
            switch await task.value {
            case .success: codes.append(nil)
            case .failure(let error): codes.append((error as? ApusError)?.code)
            }
        }
        return codes
    }

    private static func perform(
        _ heads: [UnsafeContinuation<ResponseMessage, any Error>],
        _ messages: [RequestMessage],
        _ configuration: SessionConfiguration,
        _ body: (PoolStage) throws -> Void
    ) {
        let stage = PoolStage(heads, messages, configuration)
        do { try body(stage) } catch { Issue.record(error) }
        stage.clear()
    }

    /// Requests a connection for an exchange from the pool.
    func serve(_ number: Int) {
        engine.serve(exchanges[number])
        pass(.zero)
    }

    /// Opens connections in advance.
    func prepare(_ count: Int) -> Answer {
        let answer = Answer()
        engine.prepare(Origin(scheme: .http, host: "127.0.0.1"), count: count) { answer.outcomes.append($0) }
        pass(.zero)
        return answer
    }

    /// Begins an exchange on a new connection, and discards the body of its response.
    func discard(_ number: Int, _ response: String) throws -> FakeNetwork.Attempt {
        serve(number)
        let attempt = try #require(network.attempts.last)
        try attempt.accept()
        pass(.zero)
        try attempt.receive(response)
        exchanges[number].discardRest()
        return attempt
    }

    func pass(_ time: Duration) { loop.advanceTime(by: .nanoseconds(time.wholeNanoseconds)) }

    private func clear() {
        for exchange in exchanges { exchange.cancel() }
        engine.shutDown(gracefully: false)
        pass(.zero)
        network.clear()
        for kind in [LiveCounters.Kind.timers, .connections, .exchanges, .lookups] {
            #expect(engine.shared.counters.count(of: kind) == 0, "\(kind)")
        }
    }
}
