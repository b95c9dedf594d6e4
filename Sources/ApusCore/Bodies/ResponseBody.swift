public import HTTPTypes

/// The content of a response, under back-pressure: what is not read stays on the wire.
///
/// A streamed body can be read once; the second iterator throws `bodyAlreadyRead`. Letting go of one that was not
/// read to its end cancels the exchange.
///
/// ## Cancellation
/// Cancelling the task that reads ends the exchange: the connection is closed (HTTP/1.1).
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

    /// No content.
    public static let empty = ResponseBody(.empty)

    /// Content that is all here.
    public static func whole(_ chunk: BodyChunk) -> ResponseBody {
        chunk.isEmpty ? .empty : ResponseBody(.whole(chunk))
    }

    /// Content that is still on its way.
    public static func stream(_ source: some BodySource) -> ResponseBody {
        ResponseBody(.stream(BodyStream(source)))
    }

    /// Whether it is known now that there is no content.
    public var isEmpty: Bool {
        if case .empty = storage { true } else { false }
    }

    /// The trailer fields; `nil` before the end, and where the message had none.
    ///
    /// See RFC 9110 §6.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-6.5
    public var trailers: HTTPFields? {
        if case .stream(let stream) = storage { stream.source.trailers } else { nil }
    }

    /// Lets go of what was not read: drains a little to keep the connection, else closes it.
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

        /// The next chunk; `nil` after the last.
        ///
        /// - Throws: `ApusError`, of the phase `receive`, `decode` or `cancelled`.
        public mutating func next() async throws(ApusError) -> BodyChunk? {
            switch state {
            case .ended:
                return nil
            case .alreadyRead:
                state = .ended
                throw ApusError(.bodyAlreadyRead, "the content of a response can be read once only")
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

/// Where a streamed body comes from: an exchange of the transport, or a decoder over another source.
///
/// It is asked by one reader at a time.
public protocol BodySource: AnyObject, Sendable {
    /// The next chunk, never an empty one; `nil` after the last. Reports a cancelled task as `cancelled`.
    func next() async throws(ApusError) -> BodyChunk?

    /// Gives up: nobody will ask again. Harmless after the end.
    func cancel()

    /// Lets go of the rest in the cheapest way that keeps the connection, where there is one. `cancel` by default.
    func discard()

    /// The trailer fields, after the end.
    var trailers: HTTPFields? { get }
}

extension BodySource {
    public func discard() { cancel() }

    public var trailers: HTTPFields? { nil }
}

/// Holds a source for all copies of a body: hands it to one reader, and gives up when all are gone.
package final class BodyStream: Sendable {
    private enum Use {
        case unread
        case begun
        /// What is left is being drained, which letting go afterwards must not cut off.
        case discarded
    }

    package let source: any BodySource
    private let use = Lock(Use.unread)

    init(_ source: some BodySource) {
        self.source = source
    }

    deinit {
        if use.withLock({ $0 }) != .discarded { source.cancel() }
    }

    func begin() -> Bool { turn(.begun) }

    package func discard() {
        guard turn(.discarded) else { return source.cancel() }
        source.discard()
    }

    /// Decides what becomes of an unread content; `false` where that is decided.
    private func turn(_ newUse: Use) -> Bool {
        use.withLock { use in
            guard use == .unread else { return false }
            use = newUse
            return true
        }
    }
}
