public import Foundation
public import HTTPTypes

/// The outcome of a download: the value or the error, with the request, the response head and metrics.
public struct DownloadResponse<Success: Sendable>: Sendable {
    /// The request. `nil` if it could not be built.
    public var request: RequestMessage? { raw.request }
    /// The response head. `nil` if there was no response.
    public var response: HTTPResponse? { raw.head?.response }
    /// The URL of the downloaded file. `nil` if the download failed.
    public var fileURL: URL? { raw.fileURL }
    /// The metrics of the request.
    public var metrics: RequestMetrics { raw.metrics }
    /// The followed redirects, in order. If there were several attempts, those of the last one.
    public var redirects: [FollowedRedirect] { raw.metrics.redirects }
    /// The time it took to serialize the file.
    public let serializationDuration: Duration
    /// The value or the error.
    public let result: Result<Success, ApusError>

    private let raw: RawResponse

    init(raw: RawResponse, serializationDuration: Duration, result: Result<Success, ApusError>) {
        self.raw = raw
        self.serializationDuration = serializationDuration
        self.result = result
    }

    /// The value. `nil` if the download failed.
    public var value: Success? { try? result.get() }

    /// The error. `nil` if the download succeeded.
    public var error: ApusError? { result.failure }

    /// Returns the response with its value transformed.
    public func map<New>(_ transform: (Success) -> New) -> DownloadResponse<New> {
        replacing(result.map(transform))
    }

    /// Returns the response with its value transformed. An error thrown by `transform` becomes the error.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> DownloadResponse<New> {
        replacing(result.tryMap(transform))
    }

    /// Returns the response with its error transformed.
    public func mapError(_ transform: (ApusError) -> ApusError) -> DownloadResponse<Success> {
        replacing(result.mapError(transform))
    }

    /// Returns the response with its error transformed. An error thrown by `transform` replaces it.
    public func tryMapError(_ transform: (ApusError) throws -> ApusError) -> DownloadResponse<Success> {
        replacing(result.tryMapError(transform))
    }

    private func replacing<New>(_ result: Result<New, ApusError>) -> DownloadResponse<New> {
        DownloadResponse<New>(raw: raw, serializationDuration: serializationDuration, result: result)
    }
}

extension DownloadResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result alone.
    public var description: String { "\(result)" }

    /// Request, response, file, times and result, with secrets removed.
    public var debugDescription: String {
        raw.debugDescription(serializationDuration: serializationDuration, result: result)
    }
}

extension Result where Failure == ApusError {
    /// Returns the result with its value transformed. An error thrown by `transform` becomes the error.
    func tryMap<New>(_ transform: (Success) throws -> New) -> Result<New, ApusError> {
        flatMap { value in Result<New, any Error> { try transform(value) }.mapError(ApusError.ofTransform) }
    }

    /// Returns the result with its error transformed. An error thrown by `transform` replaces it.
    func tryMapError(_ transform: (ApusError) throws -> ApusError) -> Result<Success, ApusError> {
        flatMapError { error in
            .failure((Result<ApusError, any Error> { try transform(error) }).recovered(ApusError.ofTransform))
        }
    }
}

extension Result where Success == ApusError, Failure == any Error {
    fileprivate func recovered(_ make: (any Error) -> ApusError) -> ApusError {
        switch self {
        case .success(let error): error
        case .failure(let error): make(error)
        }
    }
}

extension ApusError {
    fileprivate static func ofTransform(_ error: any Error) -> ApusError {
        ApusError(wrapping: error, as: .serializerFailed)
    }
}
