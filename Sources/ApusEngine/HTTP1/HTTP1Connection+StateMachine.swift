/// The course of one HTTP/1.1 connection: one exchange at a time, RFC 9112 §9.3.
///
/// ```
///   idle → active ─(response ended)→ settling ─(end of the read, nothing left over)→ idle
///     ↘       ↘                          ↘ (bytes left over, no keep-alive, request unfinished)
///      closed ← ← ← ← ← ← ← ← ← ← ← ← ← ← ←
/// ```
///
/// A connection is free again at the end of a read and not at the last byte of a response: a server that sent more than
/// its response would answer the next request with it.
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
    /// Whether the connection serves again after this response, as far as the request goes.
    var servesAgain: Bool { state == .active && isRequestDone && keepsAlive }

    mutating func begin(keepsAlive: Bool) {
        precondition(state == .idle, "a connection serves one exchange at a time")
        state = .active
        isRequestDone = false
        self.keepsAlive = keepsAlive
    }

    /// The request could not be written, and not a byte of it was.
    mutating func takeBack() {
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

    /// A read is over.
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

    /// The connection is gone; `true` where an exchange was under way.
    mutating func closed() -> Bool {
        defer { state = .closed }
        return state == .active
    }
}
