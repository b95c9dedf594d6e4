/// Something that a single request can set otherwise than its session.
public protocol RequestOption: Sendable {}

/// What a single request sets otherwise than its session; of each kind at most one.
///
/// ```swift
/// let response = try await session.get(url, options: [RedirectPolicy.refuse, RequestDeadline(.seconds(3))])
/// ```
public struct RequestOptions: Sendable, ExpressibleByArrayLiteral {
    private var values: [ObjectIdentifier: any RequestOption]?

    /// Everything as the session has it.
    public static let none = RequestOptions()

    /// Everything as the session has it.
    public init() {
        self.values = nil
    }

    public init(arrayLiteral options: any RequestOption...) {
        self.values =
            options.isEmpty
            ? nil
            : Dictionary(
                options.map { (ObjectIdentifier(type(of: $0)), $0) },
                uniquingKeysWith: { $1 }
            )
    }

    /// The option of a kind; `nil` means as the session has it.
    public subscript<Option: RequestOption>(kind: Option.Type) -> Option? {
        get {
            // Most requests have none, and a cast of nothing is a cast.
            guard let option = values?[ObjectIdentifier(kind)] else { return nil }
            return option as? Option
        }
        set {
            var values = values ?? [:]
            values[ObjectIdentifier(kind)] = newValue
            self.values = values.isEmpty ? nil : values
        }
    }
}

/// The time that a whole request may take, from its start to its last byte, redirects and waiting included.
public struct RequestDeadline: RequestOption, Hashable {
    /// The time; `nil` is any time.
    public let duration: Duration?

    /// Sets a time for a single request.
    public init(_ duration: Duration?) {
        self.duration = duration
    }
}

/// Whether the content of answers is decoded.
public enum ContentDecoding: RequestOption, Hashable {
    /// gzip, x-gzip and deflate are asked for and decoded.
    case automatic
    /// Content comes as the server sent it, and nothing is asked for.
    case off
}
