/// The parts that a request is configured with.
extension RequestTask {
    /// The priority in the queue for a slot. The message may not be built yet. In that case the options of the call
    /// count, since its own are not known.
    var priority: RequestPriority { (source.options ?? context.options).priority }

    /// The outcome of one serializer. Its handler is called after all serializers have run.
    struct Completion: Sendable {
        /// The error, if serialization failed.
        let failure: ApusError?
        let deliver: @Sendable () -> Void
    }

    /// A serializer's outcome: available now, or after an async step. The async step costs a frame of its own.
    enum Serialized: Sendable {
        case now(Completion)
        case later(@Sendable () async -> Completion)
    }

    /// Turns a response into a completion. A struct avoids the extra closure of a closure in a generic list.
    struct Serializer: Sendable {
        let serialize: @Sendable (RawResponse, RequestTask) -> Serialized
    }

    /// The origin of the request message: built in advance, failed in advance, or built by user code, which may block.
    enum Source: Sendable {
        case message(RequestMessage)
        case failure(ApusError)
        case user(@Sendable (RequestContext) throws -> RequestMessage)
    }
}

extension RequestTask.Source {
    /// The request message, if it was built in advance.
    var message: RequestMessage? { if case .message(let message) = self { message } else { nil } }

    /// The options of a request message that was built in advance. Does not copy the message.
    var options: RequestOptions? {
        switch self {
        case .message(let message): message.options
        case .failure, .user: nil
        }
    }

    /// Returns the source with the options of the call in a message that was built in advance.
    consuming func overriding(_ options: RequestOptions) -> RequestTask.Source {
        guard !options.isEmpty, case .message(let message) = self else { return self }
        return .message(message.overriding(options))
    }

    /// Returns the request message with the options of its call, or throws the reason why there is none.
    func make(in context: RequestContext) throws(ApusError) -> RequestMessage {
        switch self {
        case .message(let message): message
        case .failure(let error): throw error
        case .user(let make): try Session.build { try make(context) }
        }
    }
}
