/// Something that a single request can set otherwise than its session.
public protocol RequestOption: Sendable {}

/// What a single request sets otherwise than its session; of each kind at most one.
///
/// ```swift
/// let response = try await session.get(url, options: [RedirectPolicy.refuse, RequestDeadline(.seconds(3))])
/// ```
public struct RequestOptions: Sendable, ExpressibleByArrayLiteral {
    /// An array: most requests have none, some have three, and a dictionary costs several times as much.
    private var values: [(kind: ObjectIdentifier, option: any RequestOption)] = []

    /// Everything as the session has it.
    public static let none = RequestOptions()

    /// Everything as the session has it.
    public init() {}

    /// Sets options; of two of a kind, the later one counts.
    public init(arrayLiteral options: any RequestOption...) {
        for option in options { set(option, for: ObjectIdentifier(type(of: option))) }
    }

    /// The option of a kind; `nil` means as the session has it.
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
