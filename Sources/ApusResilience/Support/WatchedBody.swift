internal import ApusCore
internal import HTTPTypes

/// A body that reports its end once: it was read completely, failed, or was discarded.
final class WatchedBody: BodySource {
    enum Ending: Sendable {
        case complete
        case failed(ApusError)
        case letGo
    }

    typealias Watch = @Sendable (Ending) -> Void

    private let stream: BodyStream
    /// `nil` after the end was reported.
    private let watch: Lock<Watch?>

    init(_ stream: BodyStream, _ watch: @escaping Watch) {
        self.stream = stream
        self.watch = Lock(watch)
    }

    var trailers: HTTPFields? { stream.source.trailers }

    func next() async throws(ApusError) -> BodyChunk? {
        do throws(ApusError) {
            if let chunk = try await stream.source.next() { return chunk }
            end(.complete)
            return nil
        } catch {
            end(.failed(error))
            throw error
        }
    }

    func cancel() {
        stream.source.cancel()
        end(.letGo)
    }

    func discard() {
        stream.discard()
        end(.letGo)
    }

    private func end(_ ending: Ending) {
        let watch = watch.withLock { watch -> Watch? in
            defer { watch = nil }
            return watch
        }
        watch?(ending)
    }
}

extension ResponseBody {
    /// Returns the same body and calls `watch` once when it ends. For a body in memory, `watch` is called immediately.
    func watched(_ watch: @escaping WatchedBody.Watch) -> ResponseBody {
        guard case .stream(let stream) = storage else {
            watch(.complete)
            return self
        }
        return .stream(WatchedBody(stream, watch))
    }
}
