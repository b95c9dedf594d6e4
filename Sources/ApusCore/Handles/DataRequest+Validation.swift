public import Foundation
public import HTTPTypes

extension DataRequest {
    /// Refuses an answer whose status is not from 200 to 299, or whose content type the request's Accept field
    /// does not name.
    @discardableResult
    public func validate() -> Self {
        task.append(.status(200..<300))
        task.append(.contentType(nil))
        return self
    }

    /// Refuses an answer whose status is not one of `statusCodes`.
    @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode statusCodes: Codes) -> Self where Codes.Element == Int {
        switch statusCodes {
        case let range as Range<Int>: task.append(.status(range))
        case let codes as [Int]: task.append(.statusOneOf(Set(codes)))
        case let codes as Set<Int>: task.append(.statusOneOf(codes))
        default: task.append(.statusIn { statusCodes.contains($0) })
        }
        return self
    }

    /// Refuses an answer whose content is not of one of `types`: `application/json`, `image/*`, `*/*`.
    ///
    /// An empty content passes; a missing content type passes only `*/*`. Names compare without regard to case.
    ///
    /// - Parameter types: The acceptable types, asked for when the head of the answer is here.
    /// - Returns: The request.
    @discardableResult
    public func validate(contentType types: @escaping @Sendable @autoclosure () -> [String]) -> Self {
        task.append(.contentType(types))
        return self
    }

    /// Asks `validation` once the content is here: after every condition on the head, which are asked before any of it
    /// is collected, in whatever order they were added.
    ///
    /// - Parameter validation: Given what was asked for, the head and the content. It may block: it runs on the
    ///   global executor unless the session says otherwise.
    /// - Returns: The request.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (RequestMessage, HTTPResponse, Data) -> ValidationResult
    ) -> Self {
        task.append(.custom(validation))
        return self
    }
}
