internal import NIOCore

/// Writes pieces to a channel no faster than the peer reads them.
///
/// Confined to the event loop. The owner calls ``run(_:)`` first, and after each change of the channel's writability.
///
///     writing ⇄ paused        (the interval between two pieces, or another channel's turn)
///        └─(last piece)→ draining ─(written)→ over
final class ChunkPump {
    /// The number of bytes written between two flushes.
    private static let batchBytes = 128 << 10
    /// The number of batches after which other channels of the event loop may run.
    private static let batchesPerTurn = 32

    private enum Phase {
        case writing
        case paused(Scheduled<Void>)
        case draining
        case over
    }

    private let pieces: () -> ByteBuffer?
    private let interval: TimeAmount?
    private let completion: (Result<Void, any Error>) -> Void
    private var upcoming: ByteBuffer?
    private var phase = Phase.writing

    /// - Parameters:
    ///   - pieces: Returns the next piece, or nil at the end.
    ///   - interval: The time between two pieces. Zero sends without a pause.
    ///   - completion: Called after the last piece was written or its write failed. Not called after ``cancel()``.
    init(
        pieces: @escaping () -> ByteBuffer?,
        interval: Duration = .zero,
        completion: @escaping (Result<Void, any Error>) -> Void
    ) {
        self.pieces = pieces
        self.interval = interval > .zero ? TimeAmount(interval) : nil
        self.completion = completion
        upcoming = pieces()
    }

    func run(_ context: ChannelHandlerContext) {
        guard case .writing = phase else { return }
        guard upcoming != nil else { return end(.success(())) }
        for _ in 0..<Self.batchesPerTurn {
            guard context.channel.isWritable else { return }
            writeBatch(context)
            guard case .writing = phase else { return }
            if let interval { return pause(interval, context) }
        }
        pause(.turn, context)
    }

    func cancel() {
        if case .paused(let scheduled) = phase { scheduled.cancel() }
        phase = .over
        upcoming = nil
    }

    private func writeBatch(_ context: ChannelHandlerContext) {
        var written = 0
        while let piece = upcoming, written < Self.batchBytes {
            upcoming = pieces()
            written += piece.readableBytes
            if upcoming == nil {
                phase = .draining
                let promise = context.eventLoop.makePromise(of: Void.self)
                promise.futureResult.assumeIsolated().whenComplete { self.end($0) }
                context.write(NIOAny(piece), promise: promise)
            } else {
                context.write(NIOAny(piece), promise: nil)
            }
            if interval != nil { break }
        }
        context.flush()
    }

    private func pause(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        phase = .paused(
            context.eventLoop.assumeIsolated().scheduleTask(in: time) {
                self.phase = .writing
                self.run(context)
            }
        )
    }

    private func end(_ result: Result<Void, any Error>) {
        if case .over = phase { return }
        cancel()
        completion(result)
    }
}

extension TimeAmount {
    /// The pause of a handler that lets the event loop check its sockets.
    ///
    /// An event loop first runs all due tasks, including tasks added by them, so a delay of zero would be no pause.
    static let turn = TimeAmount.microseconds(100)
}
