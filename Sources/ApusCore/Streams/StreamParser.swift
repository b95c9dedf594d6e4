internal import Foundation

/// Turns the chunks of a body into the values of one handler.
///
/// It is used by one handler, whose steps do not overlap.
final class StreamParser<Success: Sendable, Failure: Error>: Sendable {
    typealias Value = Result<Success, Failure>

    private let framer: Lock<StreamFramer>
    private let serialize: @Sendable (StreamPiece) -> Value

    init(_ kind: StreamFramer.Kind, serialize: @escaping @Sendable (StreamPiece) -> Value) {
        self.framer = Lock(StreamFramer(kind))
        self.serialize = serialize
    }

    func pieces(of chunk: BodyChunk) -> StreamFramer.Batch { framer.withLock { $0.add(chunk) } }

    /// Returns the pieces that are left after the last chunk.
    func finalPieces() -> StreamFramer.Batch { framer.withLock { $0.finish() } }

    /// Serializes a piece. Runs code of the user.
    func value(of piece: StreamPiece) -> Value { serialize(piece) }
}

extension StreamParser where Success == Data, Failure == Never {
    /// Returns a parser for the bytes of each chunk.
    static func chunks() -> StreamParser { StreamParser(.chunks) { .success(Data($0.bytes)) } }
}

extension StreamParser where Success == String, Failure == Never {
    /// Returns a parser for the text of each chunk, without a character that is cut at its end.
    static func strings() -> StreamParser { StreamParser(.characters) { .success(String($0.bytes)) } }
}

extension StreamParser where Failure == ApusError {
    /// Returns a parser that passes each chunk to a serializer.
    static func serialized<Serializer: DataStreamSerializer>(by serializer: Serializer) -> StreamParser
    where Serializer.SerializedObject == Success {
        StreamParser(.chunks) { piece in
            do {
                return .success(try serializer.serialize(Data(piece.bytes)))
            } catch {
                return .failure(ApusError(wrapping: error, as: .serializerFailed, by: "\(Serializer.self)"))
            }
        }
    }
}

extension StreamParser where Success: Decodable, Failure == ApusError {
    /// Returns a parser that decodes each line.
    static func decodedLines(_ decoder: any DataDecoder, limitBytes: Int) -> StreamParser {
        StreamParser(.lines(limitBytes: limitBytes)) { line in
            do throws(ApusError) {
                let subject = "line \(line.lineNumber)"
                return .success(try decoder.decodeReporting(Success.self, from: Data(line.bytes), subject: subject))
            } catch {
                return .failure(error)
            }
        }
    }
}
