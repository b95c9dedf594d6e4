public import ApusJSON
public import Foundation

/// The sequences of a stream request.
///
/// ```swift
/// let task = session.streamRequest("https://api.example.org/users.ndjson").validate().streamTask()
/// for await stream in task.streamingDecodables(User.self) {
///     if let user = stream.value { print(user.name) }
/// }
/// ```
///
/// Each call makes a new sequence, which gets each chunk. The request is read no faster than the slowest of them. The
/// first one starts the request, unless `startRequestsImmediately` is off.
///
/// ## Cancellation
/// A sequence whose reading task is cancelled, or that is released before its end, cancels the request, unless
/// `automaticallyCancelling` is `false`.
public struct DataStreamTask: Sendable {
    /// The events of a stream, as a sequence.
    public typealias Stream<Success: Sendable, Failure: Error> = StreamOf<DataStreamRequest.Stream<Success, Failure>>

    let request: DataStreamRequest

    /// Returns the bytes of each chunk.
    ///
    /// - Parameter automaticallyCancelling: Whether the end of the sequence cancels the request. Default: `true`.
    /// - Returns: The sequence.
    public func streamingData(automaticallyCancelling: Bool = true) -> Stream<Data, Never> {
        stream(.chunks(), automaticallyCancelling)
    }

    /// Returns the text of the body, decoded as UTF-8. A character that is split between two chunks is not cut.
    ///
    /// - Parameter automaticallyCancelling: Whether the end of the sequence cancels the request. Default: `true`.
    /// - Returns: The sequence.
    public func streamingStrings(automaticallyCancelling: Bool = true) -> Stream<String, Never> {
        stream(.strings(), automaticallyCancelling)
    }

    /// Returns the values of a body with one JSON text in each line (NDJSON). They are decoded in the reading task.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: Decodes one line. Default: `JSONContentDecoder`.
    ///   - limitBytes: The maximum length of a line in bytes, without its end. A longer line ends the sequence with
    ///     `bodyTooLarge`. Default: `BodyLines.defaultLimitBytes`.
    ///   - automaticallyCancelling: Whether the end of the sequence cancels the request. Default: `true`.
    /// - Returns: The sequence. A line that can't be decoded is a failure with `decodingFailed`, and others follow.
    public func streamingDecodables<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        decoder: any DataDecoder = JSONContentDecoder(),
        limitBytes: Int = BodyLines.defaultLimitBytes,
        automaticallyCancelling: Bool = true
    ) -> Stream<Value, ApusError> {
        stream(.decodedLines(decoder, limitBytes: limitBytes), automaticallyCancelling)
    }

    /// Returns the values that a serializer makes of the chunks. It runs in the reading task.
    ///
    /// - Parameters:
    ///   - serializer: Turns each chunk into a value.
    ///   - automaticallyCancelling: Whether the end of the sequence cancels the request. Default: `true`.
    /// - Returns: The sequence. An error of the serializer is a failure, and others follow.
    public func streamingResponses<Serializer: DataStreamSerializer>(
        serializedUsing serializer: Serializer,
        automaticallyCancelling: Bool = true
    ) -> Stream<Serializer.SerializedObject, ApusError> {
        stream(.serialized(by: serializer), automaticallyCancelling)
    }

    /// Cancels the request.
    public func cancel() { request.cancel() }

    /// Suspends the request.
    public func suspend() { request.suspend() }

    /// Starts or resumes the request.
    public func resume() { request.resume() }

    private func stream<Success: Sendable, Failure: Error>(
        _ parser: StreamParser<Success, Failure>,
        _ automaticallyCancelling: Bool
    ) -> Stream<Success, Failure> {
        let reader = StreamReader(request, parsing: parser, cancelling: automaticallyCancelling)
        return StreamOf(pull: { await reader.next() })
    }
}
