public import Foundation
public import HTTPTypes

/// The outcome of a request: the value or the error, with the request, the response and metrics.
///
/// `Body` is the type of the received body: `Data` in memory, or the `URL` of a file. Use the names ``DataResponse``
/// and ``DownloadResponse``.
public struct SerializedResponse<Success: Sendable, Body>: Sendable {
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

    /// The request. `nil` if it could not be built.
    public var request: RequestMessage? { raw.request }

    /// The response head. `nil` if there was no response.
    public var response: HTTPResponse? { raw.head?.response }

    /// The status as a number. `nil` if there was no response.
    public var statusCode: Int? { raw.head?.status.code }

    /// The target of the response: after redirects, the last one. `nil` if nothing was sent.
    public var target: TargetURI? { raw.target ?? raw.metrics.exchanges.last?.target }

    /// The metrics of the request.
    public var metrics: RequestMetrics { raw.metrics }

    /// The followed redirects, in order. If there were several attempts, those of the last one.
    public var redirects: [FollowedRedirect] { raw.metrics.redirects }

    /// The value. `nil` if the request failed.
    public var value: Success? { try? result.get() }

    /// The error. `nil` if the request succeeded.
    public var error: ApusError? { result.failure }

    /// Returns the response with its value transformed.
    public func map<New>(_ transform: (Success) -> New) -> SerializedResponse<New, Body> {
        replacing(result.map(transform))
    }

    /// Returns the response with its value transformed. An error thrown by `transform` becomes the error.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> SerializedResponse<New, Body> {
        let transformed = result.flatMap { value in
            Result { try transform(value) }.mapError { ApusError(wrapping: $0, as: .serializerFailed) }
        }
        return replacing(transformed)
    }

    /// Returns the response with its error transformed.
    public func mapError(_ transform: (ApusError) -> ApusError) -> SerializedResponse<Success, Body> {
        replacing(result.mapError(transform))
    }

    /// Returns the response with its error transformed. An error thrown by `transform` replaces it.
    public func tryMapError(_ transform: (ApusError) throws -> ApusError) -> SerializedResponse<Success, Body> {
        let transformed = result.mapError { error in
            do { return try transform(error) } catch { return ApusError(wrapping: error, as: .serializerFailed) }
        }
        return replacing(transformed)
    }

    private func replacing<New>(_ result: Result<New, ApusError>) -> SerializedResponse<New, Body> {
        SerializedResponse<New, Body>(raw: raw, serializationDuration: serializationDuration, result: result)
    }
}

/// The outcome of a request whose body is collected in memory.
public typealias DataResponse<Success: Sendable> = SerializedResponse<Success, Data>

/// The outcome of a download.
public typealias DownloadResponse<Success: Sendable> = SerializedResponse<Success, URL>

extension SerializedResponse where Body == Data {
    /// The response body, decoded from its content codings. `nil` if there was no response.
    public var data: Data? { raw.data }
}

extension SerializedResponse where Body == URL {
    /// The URL of the downloaded file. `nil` if the download failed.
    public var fileURL: URL? { raw.fileURL }

    /// The size of the downloaded file.
    var byteCount: Int64? { raw.file?.byteCount }
}

extension SerializedResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result alone.
    public var description: String { "\(result)" }

    /// Request, response, text body or file, times and result, with secrets removed.
    public var debugDescription: String {
        raw.debugDescription(serializationDuration: serializationDuration, result: result)
    }
}
