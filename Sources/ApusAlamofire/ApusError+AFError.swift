public import Apus

extension Error {
    /// The error as an `AFError`. `nil` if it is another one. Calls throw this type, so a cast is rarely needed.
    public var asAFError: ApusError? { self as? ApusError }
}

/// The predicates of Alamofire's `AFError`. `code` and `phase` are more precise.
extension ApusError {
    /// Whether the request was cancelled by the caller, or by the task that awaited it.
    public var isExplicitlyCancelledError: Bool { code == .cancelled }

    /// Whether the session was released.
    public var isSessionDeinitializedError: Bool { code == .sessionGone }

    /// Whether the session was shut down.
    public var isSessionInvalidatedError: Bool { code == .sessionShutDown }

    /// Whether the URL is invalid.
    public var isInvalidURLError: Bool { code == .invalidURL }

    /// Whether the request could not be built.
    public var isCreateURLRequestError: Bool { code == .requestBuildingFailed }

    /// Whether a parameter could not be encoded.
    public var isParameterEncodingError: Bool { code == .parameterEncodingFailed }

    /// Whether a part of a multipart form can't be sent.
    public var isMultipartEncodingError: Bool { code == .multipartEncodingFailed }

    /// Whether an adapter threw.
    public var isRequestAdaptationError: Bool { code == .adaptationFailed }

    /// Whether a retrier ended the request with an error of its own.
    public var isRequestRetryError: Bool { code == .retryFailed }

    /// Whether a validator rejected the response.
    public var isResponseValidationError: Bool { isValidation }

    /// Whether the body could not be converted to a value.
    public var isResponseSerializationError: Bool { phase == .serialize }

    /// Whether the certificate of the server was rejected.
    public var isServerTrustEvaluationError: Bool { code == .certificateRejected }

    /// Whether the downloaded file could not be written, or moved to its destination.
    public var isDownloadedFileMoveError: Bool { [.fileUnwritable, .fileExists, .fileInUse].contains(code) }

    /// The error that caused this one.
    public var underlyingError: (any Error)? { underlying }
}
