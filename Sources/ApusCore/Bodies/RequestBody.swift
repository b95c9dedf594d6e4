public import Foundation

/// The content of a request.
///
/// A body knows its length where that can be known, and whether it can be sent a second time: for a redirect,
/// a retry, or because the first connection turned out to be dead.
public struct RequestBody: Sendable {
    /// What is long in it is in a box, since each copy of a request has one of these.
    package enum Storage: Sendable {
        case none
        case bytes(BodyChunk)
        indirect case file(FileContent)
        /// `pieces` tells what it is made of, where that can be told without reading it.
        indirect case replayable(
            length: Int64?,
            make: @Sendable () async throws -> BodyReader,
            pieces: (@Sendable () -> [BodyPiece]?)? = nil
        )
        case once(OnceContent)
    }

    package let storage: Storage

    package init(_ storage: Storage) {
        self.storage = storage
    }

    /// No content.
    public static let none = RequestBody(.none)

    /// Bytes in memory.
    public static func bytes(_ data: Data) -> RequestBody {
        RequestBody(.bytes(BodyChunk(data)))
    }

    /// The UTF-8 of a string.
    public static func string(_ string: String) -> RequestBody {
        RequestBody(.bytes(BodyChunk(string)))
    }

    /// Bytes in memory, without a copy.
    public static func chunk(_ chunk: BodyChunk) -> RequestBody {
        RequestBody(.bytes(chunk))
    }

    /// A file, or a part of one, read as it is sent.
    ///
    /// Its size and time of change are noted now and compared each time that it is opened to be sent. Of a file that has
    /// bytes though its size is 0, as those of `/proc` and of some network mounts, neither is compared: the whole of it
    /// is read to the end that it turns out to have, and sent chunked, with a `length` of `nil`.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - range: The bytes to send; `nil` (the default) is the whole file.
    /// - Returns: The content.
    /// - Throws: `ApusError` with the code `fileUnreadable` where there is no such file, it is a folder,
    ///   it may not be read, or it ends before the range does.
    public static func file(_ url: URL, range: Range<Int64>? = nil) throws(ApusError) -> RequestBody {
        RequestBody(.file(try FileContent(url, range: range)))
    }

    /// A stream that can be made afresh for every attempt.
    ///
    /// - Parameters:
    ///   - length: How many bytes there will be; `nil` (the default), or a negative number, sends them chunked.
    ///   - make: Makes a fresh sequence from the first byte on.
    /// - Returns: The content.
    public static func replayable<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64? = nil,
        _ make: @escaping @Sendable () async throws -> Chunks
    ) -> RequestBody where Chunks.Element == BodyChunk {
        RequestBody(.replayable(length: length.ifKnown, make: { BodyReader(try await make()) }))
    }

    /// A stream that can be read once only; what needs it a second time fails with `bodyNotReplayable`.
    ///
    /// - Parameters:
    ///   - length: How many bytes there will be; `nil` (the default), or a negative number, sends them chunked.
    ///   - chunks: The stream.
    /// - Returns: The content.
    public static func once<Chunks: AsyncSequence & Sendable>(length: Int64? = nil, _ chunks: Chunks) -> RequestBody
    where Chunks.Element == BodyChunk {
        RequestBody(.once(OnceContent(length: length.ifKnown, make: { BodyReader(chunks) })))
    }

    /// How many bytes there are; `nil` where that is not known beforehand.
    public var length: Int64? {
        switch storage {
        case .none: 0
        case .bytes(let chunk): Int64(chunk.count)
        case .file(let file): file.length
        case .replayable(let length, _, _): length
        case .once(let content): content.length
        }
    }

    /// Whether there is no content at all.
    public var isNone: Bool {
        if case .none = storage { true } else { false }
    }

    /// Whether the body can be sent from its first byte on, now.
    public var isReplayable: Bool {
        if case .once(let content) = storage { !content.isStarted } else { true }
    }

    /// Whether whoever begins to read the body is the only one who can.
    package var isReadOnce: Bool {
        if case .once = storage { true } else { false }
    }

    /// Whether the content is a file, or a part of one.
    package var isFile: Bool {
        if case .file = storage { true } else { false }
    }

    /// Says that the body is needed from its first byte on.
    ///
    /// - Parameter purpose: Who wants it, for the error: "the redirect to …".
    /// - Returns: The content, to be sent from its first byte on.
    /// - Throws: `ApusError` with the code `bodyNotReplayable` where it was a stream to be read once and was started.
    public func replayed(for purpose: @autoclosure () -> String) throws(ApusError) -> RequestBody {
        guard isReplayable else {
            throw ApusError(.bodyNotReplayable, "\(purpose()) needs the body again, which can be read once only")
        }
        return self
    }
}

extension Int64? {
    /// Foundation says -1 for a length that is not known.
    fileprivate var ifKnown: Int64? { flatMap { $0 < 0 ? nil : $0 } }
}

/// A stream that is read at most once, and knows whether it was.
package final class OnceContent: Sendable {
    let length: Int64?
    private let make: @Sendable () -> BodyReader
    private let started = Lock(false)

    init(length: Int64?, make: @escaping @Sendable () -> BodyReader) {
        self.length = length
        self.make = make
    }

    var isStarted: Bool { started.withLock { $0 } }

    /// The reader; the second call throws.
    package func open() throws(ApusError) -> BodyReader {
        let wasStarted = started.withLock { isStarted in
            defer { isStarted = true }
            return isStarted
        }
        guard !wasStarted else {
            throw ApusError(.bodyNotReplayable, "the body can be read once only, and was")
        }
        return make()
    }
}
