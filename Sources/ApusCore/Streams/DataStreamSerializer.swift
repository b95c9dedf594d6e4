public import Foundation

/// Turns each chunk of a stream into a value.
///
/// ```swift
/// struct ByteCounter: DataStreamSerializer {
///     func serialize(_ data: Data) -> Int { data.count }
/// }
/// session.streamRequest(url).responseStream(using: ByteCounter()) { stream in
///     print(stream.value ?? 0)
/// }
/// ```
///
/// A chunk has the bytes of one read. Its boundaries are those of the network, and have no meaning.
public protocol DataStreamSerializer<SerializedObject>: Sendable {
    /// The type of the values.
    associatedtype SerializedObject: Sendable

    /// Returns the value of a chunk.
    ///
    /// It is called on the queue of its handler, or in the task that reads its sequence, for one chunk at a time.
    ///
    /// - Parameter data: The bytes of the chunk, after content decoding, never empty.
    /// - Returns: The value.
    /// - Throws: Any error. It is passed to the handler as `serializerFailed`. An `ApusError` stays as it is.
    func serialize(_ data: Data) throws -> SerializedObject
}
