/// The events of a stream, as a sequence. Its last element is the completion.
///
/// ```swift
/// let request = session.streamRequest("https://api.example.org/log")
/// for await stream in request.streamTask().streamingStrings() {
///     if let text = stream.value { print(text) }
///     if let completion = stream.completion { print(completion.error?.detail ?? "done") }
/// }
/// ```
///
/// A chunk is read from the connection once there is room for it, see ``ChunksInFlight``. So a slow reader holds the
/// server back, and nothing is buffered without a limit. All iterators of a sequence share its elements.
///
/// ## Cancellation
/// If the task that reads it is cancelled, or the sequence and its iterators are released before its end, the request
/// is cancelled, unless `automaticallyCancelling` was `false`. In that case a cancelled task gets no further element.
public struct StreamOf<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    let pull: @Sendable () async -> Element?

    public func makeAsyncIterator() -> Iterator { Iterator(pull: pull) }

    /// Reads the events one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let pull: @Sendable () async -> Element?

        /// Returns the next event, or `nil` after the completion.
        public mutating func next() async -> Element? { await pull() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await pull() }
    }
}
