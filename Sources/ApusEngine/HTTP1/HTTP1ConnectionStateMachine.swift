/// The states of one HTTP/1.1 connection, which serves one exchange at a time, RFC 9112 §9.3.
///
/// ```
///   idle → active ─(response ended)→ settling ─(end of the read, nothing left over)→ idle
///     ↘       ↘                          ↘ (bytes left over, no keep-alive, request unfinished)
///      closed ← ← ← ← ← ← ← ← ← ← ← ← ← ← ←
/// ```
///
/// A connection becomes idle at the end of a read, not at a response's last byte: if the server sent more than its
/// response, the surplus would be taken for the response to the next request.
struct HTTP1ConnectionStateMachine {
    private enum State: Equatable {
        case idle
        case active
        case settling
        case closed
    }

    private var state = State.idle
    private(set) var isRequestDone = true
    private var keepsAlive = true

    var isActive: Bool { state == .active }
    var isIdle: Bool { state == .idle }
    var isClosed: Bool { state == .closed }
    /// Whether the connection can be reused after this response, as far as the request is concerned.
    var servesAgain: Bool { state == .active && isRequestDone && keepsAlive }

    mutating func begin(keepsAlive: Bool) {
        precondition(state == .idle, "a connection serves one exchange at a time")
        state = .active
        isRequestDone = false
        self.keepsAlive = keepsAlive
    }

    /// Reverts `begin`: the request could not be encoded, and no byte of it was written.
    mutating func abandon() {
        precondition(state == .active)
        state = .idle
        isRequestDone = true
    }

    mutating func requestEnded() {
        isRequestDone = true
    }

    mutating func responseEnded(keepsAlive: Bool) {
        guard state == .active else { return }
        state = .settling
        self.keepsAlive = self.keepsAlive && keepsAlive
    }

    enum SettleAction: Equatable {
        case nothing
        case release
        case close
    }

    /// Handles the end of a read.
    mutating func readEnded(hasLeftover: Bool) -> SettleAction {
        switch state {
        case .idle:
            return hasLeftover ? close() : .nothing
        case .active, .closed:
            return .nothing
        case .settling:
            guard keepsAlive, isRequestDone, !hasLeftover else { return close() }
            state = .idle
            return .release
        }
    }

    private mutating func close() -> SettleAction {
        state = .closed
        return .close
    }

    /// Marks the connection as closed. Returns whether an exchange was active.
    mutating func closed() -> Bool {
        defer { state = .closed }
        return state == .active
    }
}
