internal import Foundation
internal import HTTPTypes

@testable internal import ApusAuth
@testable internal import ApusCore

/// A token with an optional expiration.
struct Token: AuthenticationCredential, Hashable {
    let text: String
    var expiration: Date?

    init(_ text: String, until expiration: Date? = nil) {
        self.text = text
        self.expiration = expiration
    }

    func requiresRefresh(at now: Date) -> Bool { expiration.map { $0 <= now } ?? false }
}

/// Completes each refresh when the test ends it. Requests to `open.example.org` get no token.
final class GatedAuthenticator: Authenticator {
    private struct State {
        var refreshed: [Token] = []
        var gates: [Deferred<Result<Token, any Error>>] = []
        var begun: [(count: Int, signal: Deferred<Void>)] = []
    }

    private let state = Lock(State())
    /// Runs in each refresh before it waits for the test.
    private let prelude: @Sendable () async throws -> Void

    init(prelude: @escaping @Sendable () async throws -> Void = {}) {
        self.prelude = prelude
    }

    /// The tokens passed to `refresh(_:)`.
    var refreshed: [Token] { state.withLock { $0.refreshed } }

    func authenticates(_ request: RequestMessage) -> Bool { request.target.origin.host != "open.example.org" }

    func apply(_ credential: Token, to request: inout RequestMessage) throws {
        try request.fields.set(checking: "Authorization", "Bearer \(credential.text)")
    }

    func refresh(_ credential: Token, for session: Session) async throws -> Token {
        try await prelude()
        let gate = Deferred<Result<Token, any Error>>()
        let reached = state.withLock { state in
            state.refreshed.append(credential)
            state.gates.append(gate)
            let count = state.refreshed.count
            defer { state.begun.removeAll { $0.count <= count } }
            return state.begun.filter { $0.count <= count }.map(\.signal)
        }
        for signal in reached { signal.fulfill(()) }
        return try await gate.value.get()
    }

    /// Returns when `count` refreshes have begun in total.
    func hasBegun(_ count: Int = 1) async {
        let signal = Deferred<Void>()
        let isReached = state.withLock { state in
            if state.refreshed.count < count { state.begun.append((count, signal)) }
            return state.refreshed.count >= count
        }
        if !isReached { await signal.value }
    }

    /// Ends the oldest refresh under way.
    func end(_ result: Result<Token, any Error>) {
        let gate = state.withLock { $0.gates.isEmpty ? nil : $0.gates.removeFirst() }
        gate?.fulfill(result)
    }

    func succeed(_ token: Token) { end(.success(token)) }

    func fail(_ error: any Error) { end(.failure(error)) }
}

/// The error of a failed refresh.
struct RefreshFailure: Error, Equatable {
    var reason = "the refresh token was revoked"
}

extension RequestMessage {
    /// The token in the `Authorization` field.
    var token: String? { fields[.authorization]?.split(separator: " ").last.map(String.init) }
}

extension RetryResult {
    /// The name of the case, or the description of its error.
    var name: String {
        switch self {
        case .retry: "retry"
        case .retryWithDelay: "retryWithDelay"
        case .doNotRetry: "doNotRetry"
        case .doNotRetryWithError(let error): "\(error)"
        }
    }
}
