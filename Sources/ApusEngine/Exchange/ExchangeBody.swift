internal import ApusCore
internal import HTTPTypes
internal import NIOCore

/// The body of an exchange's response, for one reader on any executor.
final class ExchangeBody: BodySource {
    private let loop: any EventLoop
    private let exchange: NIOLoopBound<Exchange>
    private let buffer: BodyBuffer

    /// To be called on the event loop.
    init(_ exchange: Exchange, buffer: BodyBuffer) {
        self.loop = exchange.engine.loop
        self.exchange = NIOLoopBound(exchange, eventLoop: loop)
        self.buffer = buffer
    }

    func next() async throws(ApusError) -> BodyChunk? {
        if Task.isCancelled { cancel() }
        if let (result, readsOn) = buffer.take() {
            if readsOn { onLoop { $0.readOn() } }
            return try result.get()
        }
        return try await withTaskCancellationHandler {
            await withUnsafeContinuation { reader in
                if buffer.wait(reader) { onLoop { $0.readOn() } }
            }
        } onCancel: {
            cancel()
        }.get()
    }

    func cancel() {
        buffer.cancel(CancelReason.task.error)
        onLoop { $0.cancel() }
    }

    func discard() {
        onLoop { $0.discardRest() }
    }

    var trailers: HTTPFields? { buffer.trailers }

    private func onLoop(_ body: @escaping @Sendable (Exchange) -> Void) {
        if loop.inEventLoop { return body(exchange.value) }
        let exchange = exchange
        loop.execute { body(exchange.value) }
    }
}
