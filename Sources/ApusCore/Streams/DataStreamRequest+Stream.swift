public import HTTPTypes

extension DataStreamRequest {
    /// Receives the events of a stream. It may throw: see ``DataStreamRequest/responseStream(on:stream:)``.
    public typealias Handler<Success: Sendable, Failure: Error> =
        @Sendable (_ stream: Stream<Success, Failure>) throws -> Void

    /// An event of a stream, and the means to cancel it.
    public struct Stream<Success: Sendable, Failure: Error>: Sendable {
        /// The event.
        public let event: Event<Success, Failure>
        /// Cancels the request.
        public let token: CancellationToken

        /// The value or the error of this event. `nil` for the completion.
        public var result: Result<Success, Failure>? {
            if case .stream(let result) = event { result } else { nil }
        }

        /// The value. `nil` for an error, and for the completion.
        public var value: Success? {
            if case .success(let value)? = result { value } else { nil }
        }

        /// The error of this event. `nil` for a value, and for the completion.
        public var error: Failure? {
            if case .failure(let error)? = result { error } else { nil }
        }

        /// The completion, if this is the last event.
        public var completion: Completion? {
            if case .complete(let completion) = event { completion } else { nil }
        }

        /// Cancels the request.
        public func cancel() { token.cancel() }
    }

    /// An event of a stream.
    public enum Event<Success: Sendable, Failure: Error>: Sendable {
        /// The next value, or the error of making one.
        case stream(Result<Success, Failure>)
        /// The request has ended. The last event of each handler, exactly once.
        case complete(Completion)
    }

    /// The end of a stream.
    public struct Completion: Sendable {
        /// The request message. `nil` if it could not be built.
        public let request: RequestMessage?
        /// The response head. `nil` if there was none.
        public let response: HTTPResponse?
        /// The metrics of the request.
        public let metrics: RequestMetrics
        /// The error that ended the request, or this handler of it. `nil` if the whole body was received.
        public internal(set) var error: ApusError?
    }

    /// Cancels a stream. It may be passed to other code.
    public struct CancellationToken: Sendable {
        let runner: StreamRunner

        /// Cancels the request. A completed request is not affected.
        public func cancel() { runner.cancel(CancelReason.user.error) }
    }
}

// Without this, reflection would print fields and query values, which may hold secrets.
extension DataStreamRequest.Completion: CustomStringConvertible {
    /// The error, or the status and the request, without fields.
    public var description: String {
        if let error { return "failed: \(error)" }
        return [response.map { "\($0.status.code)" }, request.map { "\($0)" }].compactMap(\.self).joined(separator: " ")
    }
}

// Without this, reflection would print the implementation.
extension DataStreamRequest.CancellationToken: CustomStringConvertible {
    /// The request that it cancels, by its number.
    public var description: String { "token of request \(runner.context.id)" }
}
