/// A setting of the session that a single request can override.
///
/// See ``RequestOptions``.
public protocol RequestOption: Sendable {}

/// The settings of the session that a single request overrides, at most one of each kind.
///
/// ```swift
/// let response = try await session.get(url, options: [RedirectPolicy.refuse, RequestDeadline(.seconds(3))])
/// ```
///
/// They travel with the message: the options of a call are set in `RequestMessage.options` when the message is made. If
/// a `RequestConvertible` has set an option of the same kind, that of the call counts. A modifier, an adapter or a
/// middleware can change them after that, and the changed options count:
///
/// ```swift
/// let slow = Adapter.synchronous { request, context in
///     guard request.target.path.hasPrefix("/reports") else { return }
///     request.options[RequestDeadline.self] = RequestDeadline(.seconds(300))
/// }
/// ```
///
/// An `Interceptor` counts only if it is set before the adapters run. Middleware comes too late for a
/// `RequestDeadline`, and for a `RequestCredential`.
public struct RequestOptions: Sendable, ExpressibleByArrayLiteral {
    /// An array, since most requests have no options and some have three. A dictionary costs several times as much.
    /// `nil` without options: a message is copied many times, and a copy of `nil` costs nothing.
    private var stored: [(kind: ObjectIdentifier, option: any RequestOption)]?

    private var values: [(kind: ObjectIdentifier, option: any RequestOption)] { stored ?? [] }

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
            guard let stored else { return nil }
            let kind = ObjectIdentifier(kind)
            for value in stored where value.kind == kind { return value.option as? Option }
            return nil
        }
        set { set(newValue, for: ObjectIdentifier(kind)) }
    }

    /// Whether there are none.
    public var isEmpty: Bool { stored == nil }

    /// Sets all options of another list. They replace those of the same kinds.
    public mutating func merge(_ others: RequestOptions) {
        guard !others.isEmpty else { return }
        guard !isEmpty else {
            self = others
            return
        }
        for other in others.values { set(other.option, for: other.kind) }
    }

    private mutating func set(_ option: (any RequestOption)?, for kind: ObjectIdentifier) {
        var values = values
        values.removeAll { $0.kind == kind }
        if let option { values.append((kind, option)) }
        stored = values.isEmpty ? nil : values
    }
}

extension RequestOptions {
    /// The options that affect the exchanges of a request, as a value to compare. `nil` if one of them is not
    /// `Hashable`.
    package var comparable: ComparableOptions? {
        var comparable = ComparableOptions()
        for (_, option) in values where !(option is any IncidentalOption) {
            guard let option = option as? any RequestOption & Hashable else { return nil }
            comparable.insert(option)
        }
        return comparable
    }
}

/// An option that does not affect the exchanges of a request.
package protocol IncidentalOption: RequestOption {}

/// Limits the time of a whole request, from its start to its last byte, including redirects and waiting.
public struct RequestDeadline: RequestOption, Hashable {
    /// The time limit. `nil` means no limit.
    public let duration: Duration?

    /// Creates a time limit for a single request. `nil` means no limit.
    public init(_ duration: Duration?) {
        self.duration = duration
    }
}

extension RequestDeadline: IncidentalOption {}

/// Decides whether response bodies are decoded.
public enum ContentDecoding: RequestOption, Hashable {
    /// Requests gzip and deflate, and decodes gzip, x-gzip and deflate.
    case automatic
    /// Leaves bodies as the server has sent them, and requests no coding.
    case off
}
