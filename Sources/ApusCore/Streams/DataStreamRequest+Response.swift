public import ApusJSON
public import Dispatch
public import Foundation

/// The handlers of a stream.
///
/// Each of them is called for each value, in order and one at a time, and then once for the completion. Serializers
/// and decoders run on the queue of the handler too, so name another queue than the main one for expensive ones.
///
/// An error of a serializer or decoder is an event of its handler, and the stream goes on. A handler that throws gets
/// no further values, and its completion has the error, with the code `serializerFailed` unless it is an `ApusError`.
/// If no handler is left then that takes values, the request is cancelled with this error. If the request was made with
/// `automaticallyCancelOnStreamError`, any such error cancels it. An error that a handler throws for the completion is
/// ignored.
extension DataStreamRequest {
    /// Passes each chunk of the body to a handler.
    ///
    /// - Parameters:
    ///   - queue: The queue that `stream` is called on. Default: `.main`.
    ///   - stream: Receives the bytes of each chunk, after content decoding, and the completion. If it throws, it gets
    ///     no further chunks.
    /// - Returns: The request.
    @discardableResult
    public func responseStream(
        on queue: DispatchQueue = .main,
        stream: @escaping Handler<Data, Never>
    ) -> Self {
        append(on: queue, .chunks(), stream)
    }

    /// Passes the values that a serializer makes of the chunks to a handler.
    ///
    /// - Parameters:
    ///   - serializer: Turns each chunk into a value.
    ///   - queue: The queue that `serializer` and `stream` are called on. Default: `.main`.
    ///   - stream: Receives each value or error, and the completion.
    /// - Returns: The request.
    @discardableResult
    public func responseStream<Serializer: DataStreamSerializer>(
        using serializer: Serializer,
        on queue: DispatchQueue = .main,
        stream: @escaping Handler<Serializer.SerializedObject, ApusError>
    ) -> Self {
        append(on: queue, .serialized(by: serializer), stream)
    }

    /// Passes the text of the body to a handler, decoded as UTF-8.
    ///
    /// A character that is split between two chunks is passed on with the second one. Bytes that are not UTF-8 become
    /// U+FFFD, as in `String(decoding:as:)` for the whole body.
    ///
    /// - Parameters:
    ///   - queue: The queue that `stream` is called on. Default: `.main`.
    ///   - stream: Receives the text of each chunk, never empty, and the completion.
    /// - Returns: The request.
    @discardableResult
    public func responseStreamString(
        on queue: DispatchQueue = .main,
        stream: @escaping Handler<String, Never>
    ) -> Self {
        append(on: queue, .strings(), stream)
    }

    /// Passes the values of a body with one JSON text in each line (NDJSON, JSON Lines) to a handler.
    ///
    /// Alamofire decodes each chunk instead, whose boundaries are arbitrary. Lines end as in ``BodyLines``, and the
    /// last one needs no end. Lines without content are skipped. For a body of another form, use a serializer.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - queue: The queue that `decoder` and `stream` are called on. Default: `.main`.
    ///   - decoder: Decodes one line. Default: `JSONContentDecoder`.
    ///   - limitBytes: The maximum length of a line in bytes, without its end. A longer line ends the handler with
    ///     `bodyTooLarge`. Default: `BodyLines.defaultLimitBytes`.
    ///   - stream: Receives each value, or `decodingFailed` with the number of the line, and the completion.
    /// - Returns: The request.
    ///
    /// See https://github.com/ndjson/ndjson-spec
    @discardableResult
    public func responseStreamDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        on queue: DispatchQueue = .main,
        decoder: any DataDecoder = JSONContentDecoder(),
        limitBytes: Int = BodyLines.defaultLimitBytes,
        stream: @escaping Handler<Value, ApusError>
    ) -> Self {
        append(on: queue, .decodedLines(decoder, limitBytes: limitBytes), stream)
    }

    /// Calls a handler once, after the end of the request. Does not start the request.
    ///
    /// Without a handler that takes values, the body is read and dropped.
    ///
    /// - Parameters:
    ///   - queue: The queue that `handler` is called on. Default: `.main`.
    ///   - handler: Receives the completion.
    /// - Returns: The request.
    @discardableResult
    public func onComplete(
        on queue: DispatchQueue = .main,
        perform handler: @escaping @Sendable (Completion) -> Void
    ) -> Self {
        runner.append(StreamHandler(on: queue, completing: handler))
        return self
    }

    private func append<Success: Sendable, Failure: Error>(
        on queue: DispatchQueue,
        _ parser: StreamParser<Success, Failure>,
        _ handler: @escaping Handler<Success, Failure>
    ) -> Self {
        runner.append(StreamHandler(on: queue, parsing: parser, handler))
        return self
    }
}
