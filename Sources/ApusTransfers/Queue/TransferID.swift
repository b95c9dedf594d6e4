internal import ApusCore

/// The identifier of a transfer in a queue.
public struct TransferID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The text of the identifier.
    public let rawValue: String

    /// Creates an identifier from its text.
    ///
    /// - Parameter rawValue: The text, from 1 to 200 bytes.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Returns a new identifier: 32 random hexadecimal digits.
    public static func random() -> TransferID {
        let halves = (0..<2).map { _ in UInt64.random(in: 0 ... .max).padded(to: 16, radix: 16) }
        return TransferID(rawValue: halves.joined())
    }

    /// The text of the identifier.
    public var description: String { rawValue }
}
