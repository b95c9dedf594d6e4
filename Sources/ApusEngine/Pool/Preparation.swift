internal import ApusCore

/// A caller that waits for connections which are opened in advance. Confined to its event loop.
///
/// It ends when enough connections are idle, or when all attempts have ended that were under way at its start, or that
/// it has begun.
final class Preparation {
    /// The number of idle connections that the caller wants.
    let count: Int
    private var attempts: Set<Int>
    private var failure: ApusError?
    private var hasConnected = false
    private var completion: ((Result<Int, ApusError>) -> Void)?

    /// Creates a preparation.
    ///
    /// - Parameters:
    ///   - count: The number of idle connections that the caller wants.
    ///   - attempts: The attempts that have already begun.
    ///   - completion: Called once, with the number of idle connections at the end.
    init(count: Int, attempts: some Sequence<Int>, completion: @escaping (Result<Int, ApusError>) -> Void) {
        self.count = count
        self.attempts = Set(attempts)
        self.completion = completion
    }

    /// Whether it has completed.
    var isOver: Bool { completion == nil }

    /// Adds an attempt that begins now.
    func begin(_ attempt: Int) { attempts.insert(attempt) }

    /// Records the end of an attempt, which may belong to another caller.
    ///
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - error: The reason of its failure. `nil` if it has not failed.
    ///   - isConnected: Whether it has opened a connection if it has not failed.
    func end(_ attempt: Int, _ error: ApusError?, isConnected: Bool) {
        guard attempts.remove(attempt) != nil else { return }
        if let error { failure = failure ?? error } else if isConnected { hasConnected = true }
    }

    /// Completes the call if nothing is left to wait for.
    ///
    /// - Parameters:
    ///   - idle: The number of idle connections.
    ///   - isEnough: Whether one of them serves several requests. Default: `false`.
    ///   - refusal: The reason why the pool opens none. Default: `nil`.
    func conclude(idle: Int, isEnough: Bool = false, refusal: ApusError? = nil) {
        guard let completion, refusal != nil || isEnough || idle >= count || attempts.isEmpty else { return }
        self.completion = nil
        if let refusal { return completion(.failure(refusal)) }
        // A connection that a request has already taken counts as success.
        if idle == 0, !hasConnected, let failure { return completion(.failure(failure)) }
        completion(.success(idle))
    }
}
