public import Foundation
public import HTTPTypes

/// The outcome of a request: the value or the error, with the request, the response and metrics.
public struct DataResponse<Success: Sendable>: Sendable {
    /// The request. `nil` if it could not be built.
    public var request: RequestMessage? { raw.request }
    /// The response body, decoded from its content codings. `nil` if there was no response.
    public var data: Data? { raw.data }
    /// The metrics of the request.
    public var metrics: RequestMetrics { raw.metrics }
    /// The followed redirects, in order. If there were several attempts, those of the last one.
    public var redirects: [FollowedRedirect] { raw.metrics.redirects }
    /// The time it took to serialize the body.
    public let serializationDuration: Duration
    /// The value or the error.
    public let result: Result<Success, ApusError>

    private let raw: RawResponse

    init(raw: RawResponse, serializationDuration: Duration, result: Result<Success, ApusError>) {
        self.raw = raw
        self.serializationDuration = serializationDuration
        self.result = result
    }

    /// The response head. `nil` if there was no response.
    public var response: HTTPResponse? { raw.head?.response }

    /// The value. `nil` if the request failed.
    public var value: Success? { try? result.get() }

    /// The error. `nil` if the request succeeded.
    public var error: ApusError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// Returns the response with its value transformed.
    public func map<New>(_ transform: (Success) -> New) -> DataResponse<New> {
        replacing(result.map(transform))
    }

    /// Returns the response with its value transformed. An error thrown by `transform` becomes the error.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> DataResponse<New> {
        replacing(result.tryMap(transform))
    }

    /// Returns the response with its error transformed.
    public func mapError(_ transform: (ApusError) -> ApusError) -> DataResponse<Success> {
        replacing(result.mapError(transform))
    }

    /// Returns the response with its error transformed. An error thrown by `transform` replaces it.
    public func tryMapError(_ transform: (ApusError) throws -> ApusError) -> DataResponse<Success> {
        replacing(result.tryMapError(transform))
    }

    private func replacing<New>(_ result: Result<New, ApusError>) -> DataResponse<New> {
        DataResponse<New>(raw: raw, serializationDuration: serializationDuration, result: result)
    }
}

extension DataResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result alone.
    public var description: String { "\(result)" }

    /// Request, response, text bodies, times and result, with secrets removed.
    public var debugDescription: String {
        raw.debugDescription(serializationDuration: serializationDuration, result: result)
    }
}
