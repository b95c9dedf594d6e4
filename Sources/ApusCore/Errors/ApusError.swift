public import Foundation
public import HTTPTypes

/// The one error of the library: what went wrong, in which phase of which request, by whose fault, and why.
///
/// ```
/// ApusError
/// ├─ setup      invalidURL  invalidField  invalidRequest  bodyNotReplayable  fileUnreadable  fileChanged
/// │             missingCapability  requestBuildingFailed  parameterEncodingFailed
/// │             multipartEncodingFailed  adaptationFailed  invalidConfiguration
/// ├─ queue      poolTimeout
/// ├─ resolve    hostNotFound  resolveFailed
/// ├─ connect    connectTimeout  connectFailed
/// ├─ tls        tlsTimeout  tlsFailed  tlsVersionUnsupported  certificateRejected
/// ├─ send       writeTimeout  sendFailed  requestBodyFailed
/// ├─ receive    readTimeout  connectionClosed  malformedResponse  responseTooLarge  bodyTooLarge
/// │             bodyAlreadyRead  fileUnwritable
/// ├─ decode     contentCodingFailed  contentCodingUnsupported  expansionLimit
/// ├─ redirect   tooManyRedirects  redirectInvalid  redirectHandlerFailed
/// ├─ middleware middlewareFailed  circuitOpen
/// ├─ validate   unacceptableStatus  unacceptableContentType  missingContentType  validationFailed
/// ├─ serialize  emptyBody  decodingFailed  stringDecodingFailed  downloadedFileUnreadable
/// │             serializerFailed
/// ├─ retry      retryFailed
/// └─ cancelled  cancelled (by the user or the awaiting task)  deadlineExceeded  sessionShutDown  sessionGone
/// ```
///
/// The text is for people and may change; decide by `code`, `phase` and the predicates.
public struct ApusError: Error, Sendable {
    /// Shared, so that throwing and handing on costs a pointer.
    private final class Box: Sendable {
        let contents: Contents

        init(_ contents: Contents) { self.contents = contents }
    }

    struct Contents: Sendable {
        var code: Code
        var detail: String
        var method: HTTPRequest.Method?
        var url: String?
        var response: HTTPResponse?
        var data: Data?
        var underlying: (any Error)?
        var hops: [HopMetrics] = []
        var history: [FollowedRedirect] = []
    }

    private var box: Box

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - detail: The cause, as the end of a sentence, with what can be done about it.
    ///   - url: The URL in question; its user name, password and query values are not shown.
    ///   - underlying: The error that caused this one.
    public init(_ code: Code, _ detail: String, url: String? = nil, underlying: (any Error)? = nil) {
        self.box = Box(
            Contents(code: code, detail: detail, url: url.map(Redaction.url), underlying: underlying)
        )
    }

    var contents: Contents {
        get { box.contents }
        set { box = Box(newValue) }
    }

    /// What went wrong.
    public var code: Code { box.contents.code }

    /// In which phase of the request.
    public var phase: Phase { code.phase }

    /// The cause in words.
    public var detail: String { box.contents.detail }

    /// The method of the request, once there was one.
    public var method: HTTPRequest.Method? { box.contents.method }

    /// The URL of the request, without user name, password and the values of its query.
    public var url: String? { box.contents.url }

    /// The head of the response, where one had come.
    public var response: HTTPResponse? { box.contents.response }

    /// The content of a response that was refused, up to `limits.errorBodyBytes`, as far as it came within
    /// `timeouts.errorBody`.
    public var data: Data? { box.contents.data }

    /// The error that caused this one.
    public var underlying: (any Error)? { box.contents.underlying }

    /// What was measured of each hop until the failure.
    public var hops: [HopMetrics] { box.contents.hops }

    /// The redirects that were followed until the failure, in their order.
    public var history: [FollowedRedirect] { box.contents.history }

    /// The error with what is known of the request, where it lacks it.
    package func about(method: HTTPRequest.Method, target: TargetURI) -> ApusError {
        guard contents.url == nil || contents.method == nil else { return self }
        var error = self
        error.contents.method = contents.method ?? method
        error.contents.url = contents.url ?? Redaction.url(target.uri)
        return error
    }

    /// The error with the head and content of the response it is about.
    package func with(response: HTTPResponse?, data: Data? = nil) -> ApusError {
        var error = self
        error.contents.response = response ?? contents.response
        error.contents.data = data ?? contents.data
        return error
    }

    /// The error with the measurements of the request, and the redirects that it followed.
    package func with(hops course: RequestCourse) -> ApusError {
        var error = self
        var contents = error.contents
        contents.hops = course.hops
        contents.history = course.redirects
        error.contents = contents
        return error
    }
}

extension ApusError {
    /// The content of the refused response, decoded into a type of your own.
    ///
    /// - Parameters:
    ///   - type: The type of the service's error answers.
    ///   - decoder: The decoder; `JSONContentDecoder` by default.
    /// - Returns: `nil` where there is no content or it is something else.
    public func decodeData<Value: Decodable>(
        as type: Value.Type,
        decoder: any DataDecoder = JSONContentDecoder()
    ) -> Value? {
        data.flatMap { try? decoder.decode(type, from: $0) }
    }
}

/// Why a request failed, where a service explains its refusals in a type of its own.
///
/// ```swift
/// let answer = session.request("https://api.example.org/users/0").validate().serializingDecodable(User.self)
/// do {
///     print(try await answer.value(orThrowing: Problem.self))
/// } catch {
///     switch error {
///     case .refused(let problem, _): print(problem.title)
///     case .failed(let error): print(error)
///     }
/// }
/// ```
public enum ServiceFailure<Explanation: Decodable & Sendable>: Error {
    /// The answer was refused, and its content is an explanation.
    case refused(Explanation, ApusError)
    /// Anything else.
    case failed(ApusError)

    /// Makes the failure of an error.
    ///
    /// - Parameters:
    ///   - error: Why the request failed.
    ///   - decoder: What decodes the explanation; `JSONContentDecoder` by default.
    public init(_ error: ApusError, decoder: any DataDecoder = JSONContentDecoder()) {
        if error.isValidation, let explanation = error.decodeData(as: Explanation.self, decoder: decoder) {
            self = .refused(explanation, error)
        } else {
            self = .failed(error)
        }
    }

    /// The error without its explanation.
    public var error: ApusError {
        switch self {
        case .refused(_, let error), .failed(let error): error
        }
    }
}
