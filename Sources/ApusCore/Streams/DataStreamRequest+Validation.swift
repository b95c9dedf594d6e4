public import Dispatch
public import HTTPTypes

/// The validators of a stream. They run when the response head has arrived. If one rejects it, the handlers get no
/// values, and a completion with the error, which has the body up to `limits.errorBodyBytes`.
extension DataStreamRequest {
    /// Rejects a response whose status is not from 200 to 299, or whose content type does not match the request's
    /// Accept field.
    @discardableResult
    public func validate() -> Self {
        runner.append(.ofSuccess)
        return self
    }

    /// Rejects a response whose status is not one of `statusCodes`.
    @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode statusCodes: Codes) -> Self where Codes.Element == Int {
        switch statusCodes {
        case let range as Range<Int>: runner.append(.status(range))
        case let codes as [Int]: runner.append(.statusOneOf(Set(codes)))
        case let codes as Set<Int>: runner.append(.statusOneOf(codes))
        default: runner.append(.statusIn { statusCodes.contains($0) })
        }
        return self
    }

    /// Rejects a response whose content type is not one of `types`, such as `application/json`, `application/*+json`,
    /// `image/*` or `*/*`.
    ///
    /// An empty body passes. A missing content type passes only `*/*`. Names are compared case-insensitively.
    ///
    /// - Parameter types: The acceptable types, evaluated when the response head has arrived.
    /// - Returns: The request.
    @discardableResult
    public func validate(contentType types: @escaping @Sendable @autoclosure () -> [String]) -> Self {
        runner.append(.contentType(types))
        return self
    }

    /// Adds a validator that runs when the response head has arrived.
    ///
    /// - Parameter validation: Receives the request and the response head. It may block: it runs on the global executor
    ///   unless the session is configured otherwise.
    /// - Returns: The request.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (RequestMessage, HTTPResponse) -> ValidationResult
    ) -> Self {
        runner.append(.customHead(validation))
        return self
    }

    /// Calls a handler when the head of a response has arrived, before its body is read.
    ///
    /// Redirects that are followed have no such response. A retry calls the handler again.
    ///
    /// - Parameters:
    ///   - queue: The queue that `handler` is called on. Default: `.main`.
    ///   - handler: Receives the head.
    /// - Returns: The request.
    @discardableResult
    public func onHTTPResponse(
        on queue: DispatchQueue = .main,
        perform handler: @escaping @Sendable (HTTPResponse) -> Void
    ) -> Self {
        let core = runner.core
        return validate { _, response in
            core.mainQueueWatch.deliver(on: queue) { handler(response) }
            return .success(())
        }
    }

    /// Lets a closure decide about a response when its head has arrived, before its body is read.
    ///
    /// Redirects that are followed have no such response. A retry calls the closure again.
    ///
    /// - Parameter decide: Receives the head. It may block: it runs on the global executor unless the session is
    ///   configured otherwise.
    /// - Returns: The request.
    @discardableResult
    public func onHTTPResponse(perform decide: @escaping @Sendable (HTTPResponse) -> ResponseDisposition) -> Self {
        validate { [weak runner] _, response in
            guard decide(response) == .cancel else { return .success(()) }
            runner?.cancel(CancelReason.user.error)
            return .failure(CancelReason.user.error)
        }
    }
}
