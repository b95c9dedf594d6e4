internal import ApusCore

/// The scope of a limit.
public enum LimitScope: Sendable, Hashable {
    /// Each origin has its own limit.
    case eachOrigin
    /// All requests share one limit.
    case all

    /// The key of the limit that applies to a request.
    func key(of request: borrowing RequestMessage) -> Origin? {
        self == .eachOrigin ? request.target.origin : nil
    }
}
