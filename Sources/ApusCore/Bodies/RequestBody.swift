public import Foundation

/// The body of a request.
///
/// A body reports its length if it is known, and whether it can be sent a second time: for a redirect, for a retry, or
/// because the first connection was dead.
public struct RequestBody: Sendable {
    /// Large cases are indirect, since each copy of a request holds one of these.
    package enum Storage: Sendable {
        case none
        case bytes(BodyChunk)
        indirect case file(FileContent)
        /// `pieces` lists the pieces of the body if that is possible without reading it.
        indirect case replayable(
            length: Int64?,
            make: @Sendable () async throws -> BodyReader,
            pieces: (@Sendable () -> [BodyPiece]?)? = nil
        )
        case once(OnceContent)
        /// A body and the trailer fields after it. The body is neither `none` nor `trailed`.
        indirect case trailed(RequestBody, TrailerMaker)
    }

    package let storage: Storage

    package init(_ storage: Storage) {
        self.storage = storage
    }

    /// No body.
    public static let none = RequestBody(.none)

    /// Returns a body of bytes in memory.
    public static func bytes(_ data: Data) -> RequestBody {
        RequestBody(.bytes(BodyChunk(data)))
    }

    /// Returns a body with the UTF-8 bytes of a string.
    public static func string(_ string: String) -> RequestBody {
        RequestBody(.bytes(BodyChunk(string)))
    }

    /// Returns a body of bytes in memory without copying them.
    public static func chunk(_ chunk: BodyChunk) -> RequestBody {
        RequestBody(.bytes(chunk))
    }

    /// Returns a body that reads a file, or a part of one, while it is sent.
    ///
    /// The size and modification time of the file are recorded now, and compared each time the file is opened for
    /// sending. A file that was changed until then, or that becomes shorter while it is sent, fails the request with
    /// `fileChanged`. Of a file that grows while it is sent, the recorded size is sent.
    ///
    /// Some files have bytes although their size is 0, such as those of `/proc` and of some network mounts. Such a file
    /// is not compared. It is read to its actual end and sent chunked, with a `length` of `nil`.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - range: The bytes to send. `nil` sends the whole file. Default: `nil`.
    /// - Returns: The body.
    /// - Throws: `ApusError` with the code `fileUnreadable` if the file does not exist, is not a regular file, can't be
    ///   read, or ends before the range does.
    public static func file(_ url: URL, range: Range<Int64>? = nil) throws(ApusError) -> RequestBody {
        RequestBody(.file(try FileContent(url, range: range)))
    }

    /// Returns a streamed body that can be created anew for each attempt.
    ///
    /// - Parameters:
    ///   - length: The length in bytes. `nil` or a negative number sends the body chunked. Default: `nil`.
    ///   - make: Makes a new sequence that starts at the first byte.
    /// - Returns: The body.
    public static func replayable<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64? = nil,
        _ make: @escaping @Sendable () async throws -> Chunks
    ) -> RequestBody where Chunks.Element == BodyChunk {
        RequestBody(.replayable(length: length.ifKnown, make: { BodyReader(try await make()) }))
    }

    /// Returns a streamed body that can be read only once. Reading it a second time throws `bodyNotReplayable`.
    ///
    /// - Parameters:
    ///   - length: The length in bytes. `nil` or a negative number sends the body chunked. Default: `nil`.
    ///   - chunks: The stream.
    /// - Returns: The body.
    public static func once<Chunks: AsyncSequence & Sendable>(length: Int64? = nil, _ chunks: Chunks) -> RequestBody
    where Chunks.Element == BodyChunk {
        RequestBody(.once(OnceContent(length: length.ifKnown, make: { BodyReader(chunks) })))
    }

    /// The length in bytes, or `nil` if it is not known in advance.
    public var length: Int64? {
        switch storage {
        case .none: 0
        case .bytes(let chunk): Int64(chunk.count)
        case .file(let file): file.length
        case .replayable(let length, _, _): length
        case .once(let content): content.length
        case .trailed(let body, _): body.length
        }
    }

    /// Whether there is no body at all.
    public var isNone: Bool {
        if case .none = storage { true } else { false }
    }

    /// Whether the body can currently be sent from its first byte on.
    public var isReplayable: Bool {
        switch storage {
        case .once(let content): !content.isStarted
        case .trailed(let body, _): body.isReplayable
        case .none, .bytes, .file, .replayable: true
        }
    }

    /// Whether the body can be read only once.
    package var isReadOnce: Bool {
        switch storage {
        case .once: true
        case .trailed(let body, _): body.isReadOnce
        case .none, .bytes, .file, .replayable: false
        }
    }

    /// Whether the body is a file or a part of one.
    package var isFile: Bool {
        switch storage {
        case .file: true
        case .trailed(let body, _): body.isFile
        case .none, .bytes, .replayable, .once: false
        }
    }

    /// The bytes of a body in memory. `nil` for a file or a stream, and without a body.
    package var bytesInMemory: BodyChunk? {
        switch storage {
        case .bytes(let chunk): chunk
        case .trailed(let body, _): body.bytesInMemory
        case .none, .file, .replayable, .once: nil
        }
    }

    /// Checks that the body can be sent from its first byte on.
    ///
    /// - Parameter purpose: The reason, for the error message: "the redirect to …".
    /// - Returns: The body, to be sent from its first byte on.
    /// - Throws: `ApusError` with the code `bodyNotReplayable` if it can be read only once and reading has started.
    public func replayed(for purpose: @autoclosure () -> String) throws(ApusError) -> RequestBody {
        guard isReplayable else {
            throw ApusError(
                .bodyNotReplayable,
                "\(purpose()) needs the body again, but it can be read only once",
                hint: "use RequestBody.replayable"
            )
        }
        return self
    }
}

extension Int64? {
    /// `nil` for a negative length. Foundation uses -1 for an unknown length.
    fileprivate var ifKnown: Int64? { flatMap { $0 < 0 ? nil : $0 } }
}

/// A stream that can be read once, and that records whether reading has started.
package final class OnceContent: Sendable {
    package let length: Int64?
    private let make: @Sendable () -> BodyReader
    private let started = Lock(false)

    package init(length: Int64?, make: @escaping @Sendable () -> BodyReader) {
        self.length = length
        self.make = make
    }

    var isStarted: Bool { started.withLock { $0 } }

    /// Returns the reader. A second call throws `bodyNotReplayable`.
    package func open() throws(ApusError) -> BodyReader {
        let wasStarted = started.withLock { isStarted in
            defer { isStarted = true }
            return isStarted
        }
        guard !wasStarted else {
            throw ApusError(.bodyNotReplayable, "the body can be read only once, and was read already")
        }
        return make()
    }
}

// Without this, reflection would print fields, bodies and query values, which may hold secrets.
extension RequestBody: CustomStringConvertible {
    /// Kind and length of the body, without its bytes.
    public var description: String {
        let size = length.map { "\($0) bytes" } ?? "length unknown"
        return switch storage {
        case .none: "no body"
        case .bytes: size
        case .file: "file, \(size)"
        case .replayable: "stream, \(size)"
        case .once: "stream that can be read once, \(size)"
        case .trailed(let body, _): "\(body), with trailers"
        }
    }
}
