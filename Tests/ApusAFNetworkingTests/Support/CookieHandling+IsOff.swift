internal import Apus

extension CookieHandling {
    /// Whether cookies are neither sent nor stored.
    var isOff: Bool { if case .off = self { true } else { false } }
}
