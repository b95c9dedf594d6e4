public import ApusJSON
public import Foundation
public import HTTPTypes

/// The only error type of the library. It has the kind and phase of the failure, the request, the blame and the cause.
///
/// ```
/// ApusError
/// ├─ setup      invalidURL  invalidField  invalidRequest  bodyNotReplayable  fileUnreadable  fileChanged
/// │             requestBuildingFailed  parameterEncodingFailed
/// │             multipartEncodingFailed  adaptationFailed  resumeDataInvalid  invalidConfiguration
/// ├─ queue      poolTimeout
/// ├─ resolve    hostNotFound  resolveFailed
/// ├─ connect    connectTimeout  connectFailed  addressRefused
/// ├─ tls        tlsTimeout  tlsFailed  tlsVersionUnsupported  protocolUnsupported
/// │             certificateRejected
/// ├─ proxy      proxyTimeout  proxyConnectFailed  proxyRefused  proxyAuthenticationRequired
/// ├─ send       writeTimeout  sendFailed  requestBodyFailed
/// ├─ receive    readTimeout  connectionClosed  streamReset  malformedResponse  responseTooLarge
/// │             bodyTooLarge  bodyAlreadyRead  fileUnwritable  fileExists  fileInUse  digestMismatch
/// ├─ decode     contentCodingFailed  contentCodingUnsupported  expansionLimit
/// ├─ redirect   tooManyRedirects  redirectInvalid  redirectHandlerFailed  pageLinkInvalid
/// │             tooManyPages
/// ├─ middleware middlewareFailed  circuitOpen
/// ├─ validate   unacceptableStatus  unacceptableContentType  missingContentType  validationFailed
/// ├─ serialize  emptyBody  decodingFailed  stringDecodingFailed  downloadedFileUnreadable
/// │             serializerFailed
/// ├─ retry      retryFailed
/// └─ cancelled  cancelled (by the user or the awaiting task)  deadlineExceeded  sessionShutDown  sessionGone
/// ```
///
/// The text is for people and may change. Use `code`, `phase` and the predicates for decisions.
public struct ApusError: Error, Sendable {
    /// Shared, so that throwing an error copies only a pointer.
    private final class Box: Sendable {
        let contents: Contents

        init(_ contents: Contents) { self.contents = contents }
    }

    struct Contents: Sendable {
        var code: Code
        var detail: String
        var hint: String?
        var method: HTTPRequest.Method?
        var url: String?
        var response: HTTPResponse?
        var data: Data?
        var underlying: (any Error)?
        var fileURL: URL?
        var acceptableContentTypes: [String]?
        var failedStringEncoding: String.Encoding?
        /// Whether TLS with the proxy failed, and not with the server behind it.
        var isOfProxy = false
        /// The user whom the proxy has refused, in words.
        var refusedProxyUser: String?
        var exchanges: [ExchangeMetrics] = []
        var redirects: [FollowedRedirect] = []
    }

    private var box: Box

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - detail: The cause, as the end of a sentence.
    ///   - hint: The setting to change, or another remedy, as the end of the same sentence. Default: `nil`.
    ///   - url: The URL concerned. Its user name, password and query values are removed. Default: `nil`.
    ///   - underlying: The error that caused this one. Default: `nil`.
    public init(
        _ code: Code,
        _ detail: String,
        hint: String? = nil,
        url: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.box = Box(
            Contents(code: code, detail: detail, hint: hint, url: url.map(Redaction.url), underlying: underlying)
        )
    }

    var contents: Contents {
        get { box.contents }
        set { box = Box(newValue) }
    }

    /// The kind of failure.
    public var code: Code { box.contents.code }

    /// The phase of the request in which it failed.
    public var phase: Phase { code.phase }

    /// The cause in words.
    public var detail: String { box.contents.detail }

    /// The setting to change, or another remedy, in words: `raise timeouts.idleRead for a slower server`. `nil` if
    /// there is none, or if `detail` has it. `description` ends with it.
    public var hint: String? { box.contents.hint }

    /// The method of the request, if known.
    public var method: HTTPRequest.Method? { box.contents.method }

    /// The URL of the request, without user name, password and query values.
    public var url: String? { box.contents.url }

    /// The head of the response, if one has arrived.
    public var response: HTTPResponse? { box.contents.response }

    /// The body of a rejected response. It has at most `limits.errorBodyBytes`, and only the bytes that arrived within
    /// `timeouts.errorBody`.
    public var data: Data? { box.contents.data }

    /// The error that caused this one. That of `certificateRejected` is a `CertificateRejection`, and that of
    /// `tlsFailed` and `tlsVersionUnsupported` is a `TLSFailureReason`.
    public var underlying: (any Error)? { box.contents.underlying }

    /// The file that can't be read or written, such as the destination of a download, or the file of a request body or
    /// of a part of a form. That of a download with a wrong digest is its destination. `nil` if no file failed.
    public var fileURL: URL? { box.contents.fileURL }

    /// The content types that a validator accepts, as they were given to it, or as the `Accept` field lists them. `nil`
    /// unless the code is `unacceptableContentType` or `missingContentType`.
    public var acceptableContentTypes: [String]? { box.contents.acceptableContentTypes }

    /// The encoding in which the body is not valid text. `nil` unless the code is `stringDecodingFailed`, and for an
    /// encoding that Foundation has no name for.
    public var failedStringEncoding: String.Encoding? { box.contents.failedStringEncoding }

    /// The measurements of each exchange until the failure.
    public var exchanges: [ExchangeMetrics] { box.contents.exchanges }

    /// The redirects that were followed until the failure, in order.
    public var redirects: [FollowedRedirect] { box.contents.redirects }

    /// Returns the error with the method and URL of the request, unless it already has its own.
    package func about(method: HTTPRequest.Method?, target: TargetURI) -> ApusError {
        guard contents.url == nil || contents.method == nil else { return self }
        var error = self
        error.contents.method = contents.method ?? method
        error.contents.url = contents.url ?? Redaction.url(target.uri)
        return error
    }

    /// Returns the error with the head and body of its response.
    package func with(response: HTTPResponse?, data: Data? = nil) -> ApusError {
        var error = self
        error.contents.response = response ?? contents.response
        error.contents.data = data ?? contents.data
        return error
    }

    /// Returns the error of a connection through a proxy, with the name of the proxy in its text.
    package func through(proxy: String) -> ApusError {
        var error = self
        error.contents.detail = "\(detail), through the proxy \(proxy)"
        return error
    }

    /// Whether TLS with the proxy failed, and not with the server behind it.
    package var isOfProxy: Bool { contents.isOfProxy }

    /// Returns the error of TLS with a proxy. The text about a certificate names the proxy.
    package func ofProxy(_ proxy: String) -> ApusError {
        var error = self
        error.contents.isOfProxy = true
        if code == .certificateRejected {
            let certificate = "the certificate of the proxy \(proxy)"
            error.contents.detail =
                detail.hasPrefix("it ")
                ? "\(certificate) \(detail.dropFirst(3))" : "\(certificate) was rejected: \(detail)"
        }
        return error
    }

    /// The user whom the proxy has refused, in words: `the user 'ada'`. `nil` if it has refused none.
    package var refusedProxyUser: String? { contents.refusedProxyUser }

    /// Returns the error with the user whom the proxy has refused.
    package func with(refusedProxyUser: String) -> ApusError {
        var error = self
        error.contents.refusedProxyUser = refusedProxyUser
        return error
    }

    /// Returns the error of a request that was upgraded to https, with the host that has asked for it in its text.
    package func overHTTPS(because host: String) -> ApusError {
        let remedy = "remove '\(host)' from the HSTSStore if it has no https any more"
        var error = self
        error.contents.detail = "\(detail), over https, since '\(host)' has asked for that with HSTS"
        error.contents.hint = hint.map { "\($0), or \(remedy)" } ?? remedy
        return error
    }

    /// Returns the error with the file that failed, unless it already has its own.
    package func with(file: URL?) -> ApusError {
        guard let file, contents.fileURL == nil else { return self }
        var error = self
        error.contents.fileURL = file
        return error
    }

    /// Returns the error with the file that failed.
    package func with(fileAt path: String) -> ApusError { with(file: URL(filePath: path)) }

    /// Returns the error with the content types that were acceptable.
    package func with(acceptableContentTypes: [String]?) -> ApusError {
        var error = self
        error.contents.acceptableContentTypes = acceptableContentTypes
        return error
    }

    /// Returns the error with the encoding in which the body is not valid.
    package func with(failedStringEncoding: String.Encoding?) -> ApusError {
        var error = self
        error.contents.failedStringEncoding = failedStringEncoding
        return error
    }

    /// Returns the error with the measurements of the request and the redirects that it followed.
    package func with(exchanges course: ExchangeHistory) -> ApusError {
        var error = self
        var contents = error.contents
        contents.exchanges = course.exchanges
        contents.redirects = course.redirects
        error.contents = contents
        return error
    }
}

extension ApusError {
    /// Decodes the body of the rejected response into a custom type.
    ///
    /// - Parameters:
    ///   - type: The type of the service's error responses.
    ///   - decoder: The decoder. Default: `JSONContentDecoder`.
    /// - Returns: The value, or `nil` if there is no body or it can't be decoded.
    public func decodeData<Value: Decodable>(
        as type: Value.Type,
        decoder: any DataDecoder = JSONContentDecoder()
    ) -> Value? {
        data.flatMap { try? decoder.decode(type, from: $0) }
    }
}

/// The failure of a request to a service that explains its rejections in a type of its own.
///
/// ```swift
/// let response = session.request("https://api.example.org/users/0").validate().serializingDecodable(User.self)
/// do {
///     print(try await response.value(orThrowing: Problem.self))
/// } catch {
///     switch error {
///     case .refused(let problem, _): print(problem.title)
///     case .failed(let error): print(error)
///     }
/// }
/// ```
public enum ServiceFailure<Explanation: Decodable & Sendable>: Error {
    /// The response was rejected, and its body is an explanation.
    case refused(Explanation, ApusError)
    /// Any other failure.
    case failed(ApusError)

    /// Creates the failure from an error.
    ///
    /// - Parameters:
    ///   - error: The error of the request.
    ///   - decoder: The decoder of the explanation. Default: `JSONContentDecoder`.
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
