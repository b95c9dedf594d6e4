internal import ApusCore
internal import HTTPTypes
internal import NIOCore

/// The content of an exchange's answer, for one reader on any executor.
final class ExchangeBody: BodySource {
    private let loop: any EventLoop
    private let exchange: NIOLoopBound<Exchange>
    private let storedTrailers: TrailerBox

    init(_ exchange: Exchange) {
        self.loop = exchange.home.loop
        self.exchange = NIOLoopBound(exchange, eventLoop: loop)
        self.storedTrailers = exchange.trailerBox
    }

    func next() async throws(ApusError) -> BodyChunk? {
        if Task.isCancelled { cancel() }
        let result: Result<BodyChunk?, ApusError>
        if loop.inEventLoop, let ready = exchange.value.nextResult() {
            result = ready
        } else {
            result = await withTaskCancellationHandler {
                await withUnsafeContinuation { reader in
                    onLoop { $0.read(reader) }
                }
            } onCancel: {
                cancel()
            }
        }
        return try result.get()
    }

    func cancel() {
        onLoop { $0.cancel() }
    }

    func discard() {
        onLoop { $0.discardRest() }
    }

    var trailers: HTTPFields? { storedTrailers.fields }

    private func onLoop(_ body: @escaping @Sendable (Exchange) -> Void) {
        if loop.inEventLoop { return body(exchange.value) }
        let exchange = exchange
        loop.execute { body(exchange.value) }
    }
}

/// The trailer fields of one answer: written on the loop, read anywhere.
final class TrailerBox: Sendable {
    private let stored = Lock<HTTPFields?>(nil)

    var fields: HTTPFields? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
