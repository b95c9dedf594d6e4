package import Foundation

/// A piece of a content that can be named without reading the content.
package enum BodyPiece: Sendable {
    case bytes(Data)
    case file(FileContent)
}

extension RequestBody {
    /// A stream that can be made afresh, and that is made of pieces which can be told.
    ///
    /// - Parameters:
    ///   - length: How many bytes there will be; `nil` sends them chunked.
    ///   - pieces: What it is made of, in order; `nil` where that can't be told.
    ///   - make: Makes a fresh sequence from the first byte on.
    /// - Returns: The content.
    package static func replayable<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64?,
        pieces: @escaping @Sendable () -> [BodyPiece]?,
        _ make: @escaping @Sendable () async throws -> Chunks
    ) -> RequestBody where Chunks.Element == BodyChunk {
        RequestBody(.replayable(length: length, make: { BodyReader(try await make()) }, pieces: pieces))
    }

    /// What the content is made of, in order; `nil` where nobody can tell without reading it.
    package var pieces: [BodyPiece]? {
        switch storage {
        case .none: []
        case .bytes(let chunk): [.bytes(Data(chunk))]
        case .file(let file): [.file(file)]
        case .replayable(_, _, let pieces): pieces?()
        case .once: nil
        }
    }
}
