public import Apus
public import HTTPTypes

/// The method of a request. A custom method may be invalid: `HTTPMethod("PURGE")` is optional.
public typealias HTTPMethod = HTTPRequest.Method

/// The fields of a request, as a dictionary or as a list of fields. They are checked when the request is made.
///
/// ```swift
/// var headers: HTTPHeaders = ["X-Request-Tag": "blue"]
/// headers.add(.authorization(bearerToken: "token"))
/// ```
public typealias HTTPHeaders = RequestFields

/// A field of a request, with constructors for the most common ones.
public typealias HTTPHeader = RequestField

/// The error of each request. It has a `code` in place of cases.
public typealias AFError = ApusError

/// The value of a request, or its error.
public typealias AFResult<Success> = Result<Success, ApusError>

/// The outcome of a request whose body is collected in memory.
public typealias AFDataResponse<Success: Sendable> = DataResponse<Success>

/// The outcome of a download.
public typealias AFDownloadResponse<Success: Sendable> = DownloadResponse<Success>

/// The encoder of the parameters of a request. Dictionaries and other values use the same encoders.
public typealias ParameterEncoding = ParameterEncoder

/// Encodes parameters as a form into the query or the body.
public typealias URLEncoding = URLEncodedFormParameterEncoder

/// Encodes parameters as JSON into the body.
public typealias JSONEncoding = JSONParameterEncoder

/// The completion handler of an `AdaptHandler`: it gets the request to send, or an error.
public typealias AdaptCompletion = @Sendable (Result<RequestMessage, any Error>) -> Void

/// A closure that changes a request, and calls its completion handler once.
public typealias AdaptHandler = @Sendable (RequestMessage, RequestContext, @escaping AdaptCompletion) -> Void

/// The completion handler of a `RetryHandler`.
public typealias RetryCompletion = @Sendable (RetryResult) -> Void

/// A closure that decides whether a failed request is retried, and calls its completion handler once.
public typealias RetryHandler = @Sendable (RequestAttempt, RequestContext, ApusError, @escaping RetryCompletion) -> Void

extension Session {
    /// A closure that changes a request while it is created, before its parameters are encoded.
    public typealias RequestModifier = @Sendable (inout RequestMessage) throws -> Void
}
