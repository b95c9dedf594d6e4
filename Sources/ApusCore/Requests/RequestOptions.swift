/// A setting of the session that a single request can override.
public protocol RequestOption: Sendable {}

/// The settings of the session that a single request overrides, at most one of each kind.
///
/// ```swift
/// let response = try await session.get(url, options: [RedirectPolicy.refuse, RequestDeadline(.seconds(3))])
/// ```
public struct RequestOptions: Sendable, ExpressibleByArrayLiteral {
    /// An array, since most requests have no options and some have three. A dictionary costs several times as much.
    private var values: [(kind: ObjectIdentifier, option: any RequestOption)] = []

    /// No options: all settings are those of the session.
    public static let none = RequestOptions()

    /// Creates empty options: all settings are those of the session.
    public init() {}

    /// Creates options from a list. If two are of the same kind, the later one counts.
    public init(arrayLiteral options: any RequestOption...) {
        for option in options { set(option, for: ObjectIdentifier(type(of: option))) }
    }

    /// The option of a kind. `nil` means that the session's setting applies.
    public subscript<Option: RequestOption>(kind: Option.Type) -> Option? {
        get {
            let kind = ObjectIdentifier(kind)
            for value in values where value.kind == kind { return value.option as? Option }
            return nil
        }
        set { set(newValue, for: ObjectIdentifier(kind)) }
    }

    private mutating func set(_ option: (any RequestOption)?, for kind: ObjectIdentifier) {
        values.removeAll { $0.kind == kind }
        if let option { values.append((kind, option)) }
    }
}

/// Limits the time of a whole request, from its start to its last byte, including redirects and waiting.
public struct RequestDeadline: RequestOption, Hashable {
    /// The time limit. `nil` means no limit.
    public let duration: Duration?

    /// Creates a time limit for a single request. `nil` means no limit.
    public init(_ duration: Duration?) {
        self.duration = duration
    }
}

/// Decides whether response bodies are decoded.
public enum ContentDecoding: RequestOption, Hashable {
    /// Requests gzip and deflate, and decodes gzip, x-gzip and deflate.
    case automatic
    /// Leaves bodies as the server has sent them, and requests no coding.
    case off
}
