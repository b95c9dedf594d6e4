public import Foundation
public import HTTPTypes

/// What came of a request: the value or the error, and all that is known besides.
public struct DataResponse<Success: Sendable>: Sendable {
    /// What was asked for; `nil` where it could not even be built.
    public var request: RequestMessage? { raw.request }
    /// The content as it came, decoded; `nil` where there was no answer.
    public var data: Data? { raw.data }
    /// What was measured.
    public var metrics: RequestMetrics { raw.metrics }
    /// The redirects that were followed, in their order; those of the last attempt where there were several.
    public var history: [FollowedRedirect] { raw.metrics.redirects }
    /// How long it took to make the value of the content.
    public let serializationDuration: Duration
    /// The value or the error.
    public let result: Result<Success, ApusError>

    private let raw: RawResponse

    init(raw: RawResponse, serializationDuration: Duration, result: Result<Success, ApusError>) {
        self.raw = raw
        self.serializationDuration = serializationDuration
        self.result = result
    }

    /// The head of the answer; `nil` where there was none.
    public var response: HTTPResponse? { raw.head?.response }

    /// The value; `nil` where the request failed.
    public var value: Success? { try? result.get() }

    /// The error; `nil` where the request succeeded.
    public var error: ApusError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The same with another value.
    public func map<New>(_ transform: (Success) -> New) -> DataResponse<New> {
        replacing(result.map(transform))
    }

    /// The same with another value; what `transform` throws becomes the error.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> DataResponse<New> {
        replacing(result.tryMap(transform))
    }

    /// The same with another error.
    public func mapError(_ transform: (ApusError) -> ApusError) -> DataResponse<Success> {
        replacing(result.mapError(transform))
    }

    /// The same with another error; what `transform` throws becomes the error instead.
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

    /// Request, answer, text contents, times and result, with secrets taken out.
    public var debugDescription: String {
        raw.debugDescription(serializationDuration: serializationDuration, result: result)
    }
}
