internal import ApusCore

/// A request that another type builds, and whose body is set each time it is created.
struct FilledRequest: ModifiableRequest {
    let request: any RequestConvertible
    /// Sets the body.
    let fill: @Sendable (inout RequestMessage) throws -> Void

    func asRequest(with options: RequestOptions, relativeTo base: TargetURI?) throws -> RequestMessage {
        var message = try request.asRequest(overriding: options, relativeTo: base)
        try fill(&message)
        return message
    }
}
