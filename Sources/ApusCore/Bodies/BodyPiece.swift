package import Foundation

/// A piece of a body that can be listed without reading the body. A curl command uses the pieces of a form, with its
/// boundary, and the shell reads its files.
package enum BodyPiece: Sendable {
    case bytes(Data)
    case file(FileContent)
}

extension RequestBody {
    /// Returns a streamed body that can be created anew for each attempt, and that can list its pieces.
    ///
    /// - Parameters:
    ///   - length: The length in bytes. `nil` sends the body chunked.
    ///   - pieces: Returns the pieces in order, or `nil` if they can't be listed.
    ///   - make: Makes a new sequence that starts at the first byte.
    /// - Returns: The body.
    package static func replayable<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64?,
        pieces: @escaping @Sendable () -> [BodyPiece]?,
        _ make: @escaping @Sendable () async throws -> Chunks
    ) -> RequestBody where Chunks.Element == BodyChunk {
        RequestBody(.replayable(length: length, make: { BodyReader(try await make()) }, pieces: pieces))
    }

    /// The pieces of the body in order, or `nil` if they can't be listed without reading it.
    package var pieces: [BodyPiece]? {
        switch storage {
        case .none: []
        case .bytes(let chunk): [.bytes(Data(chunk))]
        case .file(let file): [.file(file)]
        case .replayable(_, _, let pieces): pieces?()
        case .once: nil
        case .trailed(let body, _): body.pieces
        }
    }
}
