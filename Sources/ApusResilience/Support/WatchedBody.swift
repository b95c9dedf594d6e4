internal import ApusCore
internal import HTTPTypes

/// A content whose end is told, once: it was read to its end, failed, or was let go of.
final class WatchedBody: BodySource {
    enum Ending: Sendable {
        case complete
        case failed(ApusError)
        case letGo
    }

    typealias Watch = @Sendable (Ending) -> Void

    private let stream: BodyStream
    /// `nil` once it was told.
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
    /// The same content; `watch` is told of its end, once. It is told now where the content is all here.
    func watched(_ watch: @escaping WatchedBody.Watch) -> ResponseBody {
        guard case .stream(let stream) = storage else {
            watch(.complete)
            return self
        }
        return .stream(WatchedBody(stream, watch))
    }
}
