/// What a request is given.
extension RequestTask {
    /// What a serializer has made, to be told when all are done.
    struct Completion: Sendable {
        /// Why it could not.
        let failure: ApusError?
        let tell: @Sendable () -> Void
    }

    /// What a serializer makes of an answer: it is made, or is to be waited for, which costs a frame of its own.
    enum Serialized: Sendable {
        case now(Completion)
        case later(@Sendable () async -> Completion)
    }

    /// What makes something of an answer. A value of its own, since a closure in a generic list has another around it.
    struct Serializer: Sendable {
        let serialize: @Sendable (RawResponse) -> Serialized
    }

    /// Where the request comes from: it was put together as it was asked for, or code of the user's does so, which may block.
    enum Source: Sendable {
        case message(RequestMessage)
        case failure(ApusError)
        case user(@Sendable () throws -> RequestMessage)
    }
}

extension RequestTask.Source {
    /// The request, or why it can't be made.
    func make() throws(ApusError) -> RequestMessage {
        switch self {
        case .message(let message): message
        case .failure(let error): throw error
        case .user(let make): try Session.build(make)
        }
    }
}
