internal import Synchronization

/// Identifies a session within a process.
public struct SessionID: Sendable, Hashable, CustomStringConvertible {
    /// A number that grows from session to session.
    public let number: UInt64

    private static let counter = Atomic<UInt64>(0)

    package init(number: UInt64) {
        self.number = number
    }

    /// Returns an identifier that no session has had.
    static func next() -> SessionID {
        SessionID(number: counter.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// The number.
    public var description: String { String(number) }
}
