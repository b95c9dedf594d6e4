import Apus

/// Sends a bearer token with every request, and fetches a new one when the service rejects it.
struct BearerToken: Middleware {
    private let tokens: Tokens

    /// - Parameter fetch: Fetches a token.
    init(fetch: @escaping @Sendable () async throws -> String) {
        self.tokens = Tokens(fetch: fetch)
    }

    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        var request = request
        let token = try await tokens.current()
        request.fields[.authorization] = "Bearer \(token)"
        let response = try await next(request, context: context)
        guard response.status == .unauthorized else { return response }

        response.discard()
        request.body = try request.body.replayed(for: "a fresh token")
        request.fields[.authorization] = "Bearer \(try await tokens.replacement(for: token))"
        return try await next(request, context: context, because: .challenge)
    }
}

/// The current token. If many requests are rejected at once, one of them fetches a new token and the others wait.
private actor Tokens {
    private let fetch: @Sendable () async throws -> String
    private var token: String?
    private var fetching: Task<String, any Error>?

    init(fetch: @escaping @Sendable () async throws -> String) {
        self.fetch = fetch
    }

    func current() async throws -> String {
        if let token { return token }
        return try await fetched()
    }

    func replacement(for spent: String) async throws -> String {
        if token == spent { token = nil }
        return try await current()
    }

    private func fetched() async throws -> String {
        if let fetching { return try await fetching.value }
        let task = Task { [fetch] in try await fetch() }
        fetching = task
        defer { fetching = nil }
        let fetched = try await task.value
        token = fetched
        return fetched
    }
}
