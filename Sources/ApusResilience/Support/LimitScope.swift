internal import ApusCore

/// What a limit is for.
public enum LimitScope: Sendable, Hashable {
    /// Each origin has one of its own.
    case eachOrigin
    /// All requests share one.
    case all

    /// What tells the limits apart.
    func key(of request: borrowing RequestMessage) -> Origin? {
        self == .eachOrigin ? request.target.origin : nil
    }
}
