internal import ApusCore

/// A request that another type builds, and whose body is set each time it is created.
struct FilledRequest: RequestConvertible {
    let request: any RequestConvertible
    /// Sets the body.
    let fill: @Sendable (inout RequestMessage) throws -> Void

    func asRequest() throws -> RequestMessage {
        var message = try request.asRequest()
        try fill(&message)
        return message
    }
}
