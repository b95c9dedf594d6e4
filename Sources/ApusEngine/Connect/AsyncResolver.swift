internal import ApusCore

/// Looks hosts up with a resolver of the user, each in a task of its own.
struct AsyncResolver: HostResolver {
    let resolver: any HostResolving

    func resolve(_ host: String, completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void) {
        _ = lookUp(host, completion: completion)
    }

    func lookUp(
        _ host: String,
        completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void
    ) -> JobInterest {
        let resolver = resolver
        // Detached, since the lookup serves all requests that wait for the connection.
        let task = Task.detached {
            let result: Result<[IPAddress], ApusError>
            do {
                result = .success(try await resolver.addresses(of: host))
            } catch {
                result = .failure(Self.failure(error))
            }
            if !Task.isCancelled { completion(result) }
        }
        return JobInterest { task.cancel() }
    }

    private static func failure(_ error: any Error) -> ApusError {
        // No request was cancelled.
        guard !(error is CancellationError) else {
            return ApusError(.resolveFailed, "the resolver of the session was cancelled", underlying: error)
        }
        return ApusError(wrapping: error, as: .resolveFailed, by: "the resolver of the session")
    }
}
