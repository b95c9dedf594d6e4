public import Foundation
public import HTTPTypes

/// What came of a download: the value or the error, and all that is known besides.
public struct DownloadResponse<Success: Sendable>: Sendable {
    /// What was asked for; `nil` where it could not even be built.
    public var request: RequestMessage? { raw.request }
    /// The head of the answer; `nil` where there was none.
    public var response: HTTPResponse? { raw.head?.response }
    /// Where the content is; `nil` where the download failed.
    public var fileURL: URL? { raw.fileURL }
    /// What was measured.
    public var metrics: RequestMetrics { raw.metrics }
    /// The redirects that were followed, in their order; those of the last attempt where there were several.
    public var history: [FollowedRedirect] { raw.metrics.redirects }
    /// How long it took to make the value of the file.
    public let serializationDuration: Duration
    /// The value or the error.
    public let result: Result<Success, ApusError>

    private let raw: RawResponse

    init(raw: RawResponse, serializationDuration: Duration, result: Result<Success, ApusError>) {
        self.raw = raw
        self.serializationDuration = serializationDuration
        self.result = result
    }

    /// The value; `nil` where the download failed.
    public var value: Success? { try? result.get() }

    /// The error; `nil` where the download succeeded.
    public var error: ApusError? { result.failure }

    /// The same with another value.
    public func map<New>(_ transform: (Success) -> New) -> DownloadResponse<New> {
        replacing(result.map(transform))
    }

    /// The same with another value; what `transform` throws becomes the error.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> DownloadResponse<New> {
        replacing(result.tryMap(transform))
    }

    /// The same with another error.
    public func mapError(_ transform: (ApusError) -> ApusError) -> DownloadResponse<Success> {
        replacing(result.mapError(transform))
    }

    /// The same with another error; what `transform` throws becomes the error instead.
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

    /// Request, answer, the file, times and result, with secrets taken out.
    public var debugDescription: String {
        raw.debugDescription(serializationDuration: serializationDuration, result: result)
    }
}

extension Result where Failure == ApusError {
    /// The result with another value; what `transform` throws becomes the error.
    func tryMap<New>(_ transform: (Success) throws -> New) -> Result<New, ApusError> {
        flatMap { value in Result<New, any Error> { try transform(value) }.mapError(ApusError.ofTransform) }
    }

    /// The result with another error; what `transform` throws becomes the error instead.
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
        wrapping(error) { ApusError(.serializerFailed, Redaction.text(String(describing: $0)), underlying: $0) }
    }
}
