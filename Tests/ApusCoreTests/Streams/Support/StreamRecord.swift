internal import ApusCore
internal import ApusTestSupport

/// Records the events of one stream handler.
final class StreamRecord<Success: Sendable, Failure: Error>: Sendable {
    let values = LockedList<Success>()
    let failures = LockedList<Failure>()
    let completions = LockedList<DataStreamRequest.Completion>()
    private let end = Deferred<DataStreamRequest.Completion>()

    func note(_ stream: DataStreamRequest.Stream<Success, Failure>) {
        if let value = stream.value { values.append(value) }
        if let error = stream.error { failures.append(error) }
        guard let completion = stream.completion else { return }
        completions.append(completion)
        end.fulfill(completion)
    }

    /// Waits for the first completion.
    var completion: DataStreamRequest.Completion { get async { await end.value } }
}
