/// Names a value that middleware, an adapter or a retrier keeps for one request.
///
/// The value lives in the request's context, through all its attempts and exchanges, and is released with it.
///
/// ```swift
/// enum FirstTarget: RequestContextKey {
///     typealias Value = String
/// }
///
/// struct TargetMemory: Middleware {
///     func handle(
///         _ request: consuming RequestMessage,
///         context: RequestContext,
///         next: Next
///     ) async throws -> ResponseMessage {
///         let first = context.value(of: FirstTarget.self) { [target = request.target] in "\(target)" }
///         context.logger.info("the first attempt was for \(first)")
///         return try await next(request, context: context)
///     }
/// }
/// ```
public protocol RequestContextKey {
    /// The type of the value.
    associatedtype Value: Sendable
}

extension RequestContext {
    /// The value of a key, or `nil` if none was set. Setting `nil` removes it.
    public subscript<Key: RequestContextKey>(key: Key.Type) -> Key.Value? {
        get { withValues { $0[ObjectIdentifier(key)].flatMap { $0 as? Key.Value } } }
        set {
            // Released outside the lock: a replaced value may hold the last reference to user objects.
            let replaced = withValues { values in
                defer { values[ObjectIdentifier(key)] = newValue.map { $0 as any Sendable } }
                return values[ObjectIdentifier(key)]
            }
            withExtendedLifetime(replaced) {}
        }
    }

    /// Returns the value of a key, and sets it first if there is none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - make: Makes the value. If two tasks call at once, both may make one, and both get the one that was set first.
    /// - Returns: The value that all callers share.
    public func value<Key: RequestContextKey>(of key: Key.Type, orMaking make: () -> Key.Value) -> Key.Value {
        if let value = self[key] { return value }
        let made = make()
        return withValues { values in
            if let value = values[ObjectIdentifier(key)].flatMap({ $0 as? Key.Value }) { return value }
            values[ObjectIdentifier(key)] = made
            return made
        }
    }
}
