public import Apus
public import Foundation

extension Interceptor {
    /// Creates an interceptor from an adapter and a retrier.
    public init(adapter: any RequestAdapter, retrier: any RequestRetrier) {
        self.init(adapters: [adapter], retriers: [retrier])
    }

    /// Creates an interceptor from closures with completion handlers.
    public init(adaptHandler: @escaping AdaptHandler, retryHandler: @escaping RetryHandler) {
        self.init(adapters: [Adapter(adaptHandler)], retriers: [Retrier(retryHandler)])
    }
}

/// The interceptors of closures where an interceptor is expected: `interceptor: .retrier(using: handler)`.
extension RequestInterceptor where Self == Interceptor {
    /// Returns an interceptor that calls a closure for each request.
    public static func adapter(using adaptHandler: @escaping AdaptHandler) -> Interceptor {
        Interceptor(adapters: [Adapter(adaptHandler)])
    }

    /// Returns an interceptor that calls a closure for each failure.
    public static func retrier(using retryHandler: @escaping RetryHandler) -> Interceptor {
        Interceptor(retriers: [Retrier(retryHandler)])
    }

    /// Returns an interceptor that combines an adapter and a retrier.
    public static func interceptor(adapter: any RequestAdapter, retrier: any RequestRetrier) -> Interceptor {
        Interceptor(adapter: adapter, retrier: retrier)
    }

    /// Returns an interceptor that combines several. `Interceptor.init` describes the parameters.
    public static func interceptor(
        adapters: [any RequestAdapter] = [],
        retriers: [any RequestRetrier] = [],
        interceptors: [any RequestInterceptor] = []
    ) -> Interceptor {
        Interceptor(adapters: adapters, retriers: retriers, interceptors: interceptors)
    }
}

extension Retrier {
    /// Creates a retrier from a closure with the parameters that Alamofire has.
    ///
    /// - Parameter retryHandler: Decides and calls its completion handler once. The attempt and its context replace the
    ///   request and the session. A cancelled request does not wait for it.
    public init(_ retryHandler: @escaping RetryHandler) {
        self.init { attempt, error, completion in retryHandler(attempt, attempt.context, error, completion) }
    }
}

extension RetryResult {
    /// Returns a retry after a delay in seconds. A negative delay is none, and more than 1e9 are 1e9.
    public static func retryWithDelay(_ seconds: TimeInterval) -> RetryResult {
        .retryWithDelay(Duration(interval: seconds))
    }
}
