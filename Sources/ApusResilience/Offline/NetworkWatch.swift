/// Reports whether a network is available. The default is `InterfaceWatch`, and tests can substitute their own.
///
/// ```swift
/// struct Airplane: NetworkWatch {
///     func isReachable() -> Bool { false }
/// }
/// ```
public protocol NetworkWatch: Sendable {
    /// Whether a network is available now. Called repeatedly while requests wait, and must not block.
    func isReachable() -> Bool
}
