internal import ApusCore
internal import HTTPTypes
internal import NIOCore

/// Sends a request's body that has to be read first: a file, or the user's stream.
///
/// A user's stream is read off the event loop. Each chunk is written on the loop, and the next is read when there is
/// room. A file is read on its own queue, so its pump runs on the loop, and each chunk changes threads once.
///
/// The trailer fields are made after the last chunk was written, so that they may depend on all of them.
///
/// The exchange owns the pump, and stops it when the response has ended. `Expect: 100-continue` delays the start of the
/// pump, not the call of `send`.
final class BodyPump: Sendable {
    private let exchange: NIOLoopBound<Exchange>
    private let loop: any EventLoop
    private let body: RequestBody
    private let counters: LiveCounters
    private let task = Lock<Task<Void, Never>?>(nil)

    init(_ exchange: Exchange) {
        self.loop = exchange.engine.loop
        self.exchange = NIOLoopBound(exchange, eventLoop: loop)
        self.body = exchange.request.body
        self.counters = exchange.engine.shared.counters
    }

    /// Starts reading and sending.
    func start() {
        counters.add(to: .pumps)
        let executor: any TaskExecutor = body.isFile ? exchange.value.engine.bound.executor : globalConcurrentExecutor
        let task = Task(executorPreference: executor) { [self] in
            await run()
            counters.remove(from: .pumps)
        }
        self.task.withLock { $0 = task }
    }

    /// Stops sending, because the exchange is over.
    func stop() {
        task.withLock { $0 }?.cancel()
    }

    private func run() async {
        // The exchange may be over already. A body that can be read only once is then left for another exchange.
        guard !Task.isCancelled else { return }
        do throws(ApusError) {
            let reader = try await open()
            let declaredLength = body.length
            var sent: Int64 = 0
            while let chunk = try await next(reader) {
                guard !chunk.isEmpty else { continue }
                sent += Int64(chunk.count)
                if let declaredLength, sent > declaredLength { throw Self.wrongLength(declaredLength, "produced more") }
                guard await writeInSlices(chunk.buffer) else { return }
            }
            if let declaredLength, sent < declaredLength {
                throw Self.wrongLength(declaredLength, "produced only \(sent)")
            }
            let trailers: HTTPFields? = if let maker = body.trailerMaker { try await fields(maker) } else { nil }
            onLoop { $0.endContent(from: self, trailers: trailers) }
        } catch {
            onLoop { $0.failContent(from: self, error) }
        }
    }

    private func open() async throws(ApusError) -> BodyReader {
        do {
            return try await body.open(counters: counters)
        } catch {
            throw Self.failure(error)
        }
    }

    private func next(_ reader: BodyReader) async throws(ApusError) -> BodyChunk? {
        do {
            return try await reader.next()
        } catch {
            throw Self.failure(error)
        }
    }

    /// Makes the trailer fields, off the event loop.
    private func fields(_ maker: TrailerMaker) async throws(ApusError) -> HTTPFields {
        // Many streams simply end when their task is cancelled, which would look like a complete body.
        guard !Task.isCancelled else { throw CancelReason.task.error }
        return try await offEventLoop { () async throws(ApusError) in try await maker.fields() }
    }

    /// The maximum size of a write. A longer chunk is written in slices, so that it does not occupy the buffers of the
    /// channel as a whole.
    private static let sliceBytes = 512 << 10

    private func writeInSlices(_ chunk: ByteBuffer) async -> Bool {
        guard chunk.readableBytes > Self.sliceBytes else { return await write(chunk) }
        var rest = chunk
        while let slice = rest.readSlice(length: min(rest.readableBytes, Self.sliceBytes)), slice.readableBytes > 0 {
            guard await write(slice) else { return false }
        }
        return true
    }

    /// Writes a chunk and returns when there is room for another. Returns `false` if the pump should stop.
    private func write(_ chunk: ByteBuffer) async -> Bool {
        await withUnsafeContinuation { continuation in
            onLoop { $0.write(chunk, from: self, then: continuation) }
        }
    }

    private func onLoop(_ body: @escaping @Sendable (Exchange) -> Void) {
        if loop.inEventLoop { return body(exchange.value) }
        let exchange = exchange
        loop.execute { body(exchange.value) }
    }

    private static func failure(_ error: any Error) -> ApusError {
        ApusError(wrapping: error, as: .requestBodyFailed, by: "its body stream")
    }

    private static func wrongLength(_ declared: Int64, _ problem: String) -> ApusError {
        ApusError(.requestBodyFailed, "its body stream declared \(declared) bytes, but \(problem)")
    }
}
