internal import ApusCore
internal import NIOCore

/// Connects the cancellation handler of a request to its exchange, in whichever order they arrive.
struct ExchangeSlot: Sendable {
    private enum Content {
        case empty
        case exchange(Exchange)
        case cancelled
    }

    private let loop: any EventLoop
    private let content: NIOLoopBoundBox<Content?>

    init(loop: any EventLoop) {
        self.loop = loop
        self.content = NIOLoopBoundBox.makeEmptyBox(valueType: Content.self, eventLoop: loop)
    }

    /// Stores the exchange and starts it, or fails it if the request was already cancelled. To be called on the loop.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - engine: The engine of the loop.
    ///   - found: The addresses that were found on another loop. Default: `nil`.
    func start(_ exchange: Exchange, on engine: EventLoopEngine, with found: FoundAddresses? = nil) {
        if case .cancelled? = content.value { return exchange.fail(CancelReason.task.error) }
        content.value = .exchange(exchange)
        engine.serve(exchange, with: found)
    }

    func cancel() {
        loop.execute {
            if case .exchange(let exchange)? = content.value { exchange.cancel() }
            content.value = .cancelled
        }
    }
}
