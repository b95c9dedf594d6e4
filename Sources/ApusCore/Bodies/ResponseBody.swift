public import HTTPTypes

/// The body of a response, with back-pressure: unread bytes stay on the wire.
///
/// A streamed body can be read once. A second iterator throws `bodyAlreadyRead`. Releasing a body before it was read to
/// its end cancels the exchange.
///
/// ## Cancellation
/// Cancelling the reading task ends the exchange. With HTTP/1.1 this closes the connection.
public struct ResponseBody: AsyncSequence, Sendable {
    public typealias Element = BodyChunk
    public typealias Failure = ApusError

    package enum Storage: Sendable {
        case empty
        case whole(BodyChunk)
        case stream(BodyStream)
    }

    package let storage: Storage

    package init(_ storage: Storage) {
        self.storage = storage
    }

    /// An empty body.
    public static let empty = ResponseBody(.empty)

    /// Returns a body whose bytes are all in memory.
    public static func whole(_ chunk: BodyChunk) -> ResponseBody {
        chunk.isEmpty ? .empty : ResponseBody(.whole(chunk))
    }

    /// Returns a body that is read from `source`.
    public static func stream(_ source: some BodySource) -> ResponseBody {
        ResponseBody(.stream(BodyStream(source)))
    }

    /// Whether the body is already known to be empty.
    public var isEmpty: Bool {
        if case .empty = storage { true } else { false }
    }

    /// The trailer fields. `nil` before the end of the body, and if the message has none.
    ///
    /// See RFC 9110 §6.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-6.5
    public var trailers: HTTPFields? {
        if case .stream(let stream) = storage { stream.source.trailers } else { nil }
    }

    /// Discards the unread rest. Drains a small amount to keep the connection, otherwise closes it. It reads up to
    /// 64 KiB within 50 ms. Over HTTP/2 the stream is reset, and the connection stays open.
    public func discard() {
        if case .stream(let stream) = storage { stream.discard() }
    }

    public func makeAsyncIterator() -> Iterator {
        switch storage {
        case .empty: Iterator(state: .ended)
        case .whole(let chunk): Iterator(state: .whole(chunk))
        case .stream(let stream): Iterator(state: stream.begin() ? .stream(stream) : .alreadyRead)
        }
    }

    /// Reads the body chunk by chunk.
    public struct Iterator: AsyncIteratorProtocol {
        enum State {
            case whole(BodyChunk)
            case stream(BodyStream)
            case alreadyRead
            case ended
        }

        var state: State

        /// Returns the next chunk, or `nil` after the last.
        ///
        /// - Throws: `ApusError` in the phase `receive`, `decode` or `cancelled`.
        public mutating func next() async throws(ApusError) -> BodyChunk? {
            switch state {
            case .ended:
                return nil
            case .alreadyRead:
                state = .ended
                throw BodyStream.alreadyRead
            case .whole(let chunk):
                state = .ended
                return chunk
            case .stream(let stream):
                do throws(ApusError) {
                    if let chunk = try await stream.source.next() { return chunk }
                    state = .ended
                    return nil
                } catch {
                    state = .ended
                    throw error
                }
            }
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ApusError) -> BodyChunk? {
            try await next()
        }
    }
}

/// The source of a streamed body: an exchange of the transport, or a decoder on top of another source.
///
/// It has one reader at a time.
public protocol BodySource: AnyObject, Sendable {
    /// Returns the next chunk, never an empty one, or `nil` after the last. Throws `cancelled` in a cancelled task.
    func next() async throws(ApusError) -> BodyChunk?

    /// Cancels the source, which is not read any further. Has no effect after the end.
    func cancel()

    /// Discards the rest in the cheapest way that keeps the connection, if there is one. Default: calls `cancel()`.
    func discard()

    /// The trailer fields, available after the end. Default: `nil`.
    var trailers: HTTPFields? { get }
}

extension BodySource {
    public func discard() { cancel() }

    public var trailers: HTTPFields? { nil }
}

// Without this, reflection would print fields, bodies and query values, which may hold secrets.
extension ResponseBody: CustomStringConvertible {
    /// Kind of the body and, if it is in memory, its length, without its bytes.
    public var description: String {
        switch storage {
        case .empty: "no body"
        case .whole(let chunk): "\(chunk.count) bytes"
        case .stream: "stream"
        }
    }
}
