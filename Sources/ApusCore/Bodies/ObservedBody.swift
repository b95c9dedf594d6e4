package import HTTPTypes
internal import Synchronization

/// A response body that reports its chunks and its end while it is read.
package final class ObservedBody: BodySource {
    /// How a body ended.
    package enum Ending: Sendable {
        /// It was read completely.
        case complete
        case failed(ApusError)
        /// It was cancelled or discarded.
        case released
    }

    /// Receives each chunk, and the number of bytes up to its end.
    package typealias ChunkHandler = @Sendable (_ chunk: BodyChunk, _ count: Int64) -> Void

    package typealias EndHandler = @Sendable (Ending) -> Void

    private let stream: BodyStream
    private let onChunk: ChunkHandler?
    private let onEnd: EndHandler?
    /// Changed by the only reader.
    private let count = Atomic<Int64>(0)
    /// Whether the end was reported. The reader may reach it while another task discards the body.
    private let isOver = Atomic(false)

    init(_ stream: BodyStream, onChunk: ChunkHandler?, onEnd: EndHandler?) {
        self.stream = stream
        self.onChunk = onChunk
        self.onEnd = onEnd
    }

    package var trailers: HTTPFields? { stream.source.trailers }

    package func next() async throws(ApusError) -> BodyChunk? {
        do throws(ApusError) {
            guard let chunk = try await stream.next(for: self) else {
                end(.complete)
                return nil
            }
            if let onChunk { onChunk(chunk, count.wrappingAdd(Int64(chunk.count), ordering: .relaxed).newValue) }
            return chunk
        } catch {
            end(.failed(error))
            throw error
        }
    }

    package func cancel() {
        stream.source.cancel()
        end(.released)
    }

    package func discard() {
        stream.discard(for: self)
        end(.released)
    }

    private func end(_ ending: Ending) {
        guard let onEnd, !isOver.exchange(true, ordering: .relaxed) else { return }
        onEnd(ending)
    }
}

extension ResponseBody {
    /// Returns the same body, which reports each chunk and, exactly once, its end. Both are reported immediately for a
    /// body in memory.
    package func observed(
        onChunk: ObservedBody.ChunkHandler? = nil,
        onEnd: ObservedBody.EndHandler? = nil
    ) -> ResponseBody {
        switch storage {
        case .empty:
            break
        case .whole(let chunk):
            onChunk?(chunk, Int64(chunk.count))
        case .stream(let stream):
            return .stream(ObservedBody(stream, onChunk: onChunk, onEnd: onEnd))
        }
        onEnd?(.complete)
        return self
    }
}
