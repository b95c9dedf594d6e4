/// Who knows whether there is a network: `InterfaceWatch`, or in a test whoever says so.
///
/// ```swift
/// struct Airplane: NetworkWatch {
///     func isReachable() -> Bool { false }
/// }
/// ```
public protocol NetworkWatch: Sendable {
    /// Whether there is a network now. It is asked again and again while somebody waits, and must not block.
    func isReachable() -> Bool
}
