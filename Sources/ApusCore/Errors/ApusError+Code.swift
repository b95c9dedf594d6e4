internal import HTTPTypes

extension ApusError {
    /// The phase of a request in which it failed.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Before any work: the request or the configuration can't be used.
        case setup
        /// Waiting for a connection.
        case queue
        /// Resolving the host name.
        case resolve
        /// Opening a TCP connection.
        case connect
        /// The TLS handshake.
        case tls
        /// Opening a tunnel through a proxy.
        case proxy
        /// Sending the request.
        case send
        /// Receiving the response.
        case receive
        /// Decoding the content codings of the body.
        case decode
        /// Following a redirect, or the link to a next page.
        case redirect
        /// Running a middleware.
        case middleware
        /// Validating the response.
        case validate
        /// Converting the body to a value.
        case serialize
        /// Running a retrier.
        case retry
        /// The request was cancelled, or its time limit was exceeded, at any stage.
        case cancelled
    }

    /// The party that caused the failure.
    public enum Blame: String, Sendable, Hashable {
        /// The program or this machine: a wrong argument, an unreadable file, a local limit.
        case local
        /// The peer: it sent something wrong, or did not respond.
        case peer
        /// Neither side can be identified. The network between them may have failed.
        case network
    }

    /// The kind of failure. Minor versions may add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, for logs and metric labels.
        public let name: String
        /// The phase that the code belongs to.
        public let phase: Phase
        /// The party that caused the failure.
        public let blame: Blame

        private init(_ name: String, _ phase: Phase, _ blame: Blame) {
            self.name = name
            self.phase = phase
            self.blame = blame
        }

        public static func == (left: Code, right: Code) -> Bool { left.name == right.name }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// The code's name.
        public var description: String { name }

        /// The URL is not an absolute `http` or `https` URI.
        public static let invalidURL = Code("invalidURL", .setup, .local)
        /// A field would be misread, contradicts the message framing, or is a trailer that is only allowed in a head.
        /// Also used for a rejected cookie.
        public static let invalidField = Code("invalidField", .setup, .local)
        /// The method, target or body can't be sent.
        public static let invalidRequest = Code("invalidRequest", .setup, .local)
        /// The body is needed a second time, but can be read only once.
        public static let bodyNotReplayable = Code("bodyNotReplayable", .setup, .local)
        /// A file to be sent does not exist, is no regular file, or can't be read. Also used for
        /// invalid cookie and HSTS files.
        public static let fileUnreadable = Code("fileUnreadable", .setup, .local)
        /// A file to be sent has changed since the request was created.
        public static let fileChanged = Code("fileChanged", .setup, .local)
        /// The `RequestConvertible` threw. Its error is `underlying`.
        public static let requestBuildingFailed = Code("requestBuildingFailed", .setup, .local)
        /// A parameter can't be encoded. The error of its `encode(to:)` is `underlying`.
        public static let parameterEncodingFailed = Code("parameterEncodingFailed", .setup, .local)
        /// A part of a multipart body can't be sent because of its name, its file or its stream.
        public static let multipartEncodingFailed = Code("multipartEncodingFailed", .setup, .local)
        /// An adapter threw. Its error is `underlying`.
        public static let adaptationFailed = Code("adaptationFailed", .setup, .local)
        /// Resume data was not made by a download, or is damaged.
        public static let resumeDataInvalid = Code("resumeDataInvalid", .setup, .local)
        /// The session's configuration is invalid, for example a file of authorities without a certificate.
        public static let invalidConfiguration = Code("invalidConfiguration", .setup, .local)

        /// No connection became available within `timeouts.poolWait`.
        public static let poolTimeout = Code("poolTimeout", .queue, .local)

        /// The host has no address.
        public static let hostNotFound = Code("hostNotFound", .resolve, .network)
        /// The name server did not respond, or responded with an error.
        public static let resolveFailed = Code("resolveFailed", .resolve, .network)

        /// No address accepted a connection within `timeouts.connect`.
        public static let connectTimeout = Code("connectTimeout", .connect, .network)
        /// Every address refused the connection or could not be reached.
        public static let connectFailed = Code("connectFailed", .connect, .network)
        /// `addresses.guard` allows no address of the host. The error describes each of them.
        public static let addressRefused = Code("addressRefused", .connect, .local)

        /// The handshake did not finish within `timeouts.tls`.
        public static let tlsTimeout = Code("tlsTimeout", .tls, .peer)
        /// The handshake failed. `underlying` is a `TLSFailureReason`.
        public static let tlsFailed = Code("tlsFailed", .tls, .peer)
        /// The server supports no TLS version from `tls.minimumVersion` to `tls.maximumVersion`.
        public static let tlsVersionUnsupported = Code("tlsVersionUnsupported", .tls, .peer)
        /// The server does not support the requested version of HTTP, or none of the versions.
        public static let protocolUnsupported = Code("protocolUnsupported", .tls, .peer)
        /// The certificate is not trusted, has expired, or belongs to another host. `underlying` is a
        /// `CertificateRejection` with the reason.
        public static let certificateRejected = Code("certificateRejected", .tls, .peer)

        /// The proxy did not open the tunnel within `timeouts.proxy`.
        public static let proxyTimeout = Code("proxyTimeout", .proxy, .peer)
        /// The proxy closed the connection while the tunnel was opened, or its response is no valid one.
        public static let proxyConnectFailed = Code("proxyConnectFailed", .proxy, .peer)
        /// The proxy refused to open the tunnel. `response` has the status of an HTTP proxy.
        public static let proxyRefused = Code("proxyRefused", .proxy, .peer)
        /// The proxy requires a user and a password to open the tunnel, or refused those that it got. The text names
        /// the user, unless it may be a token: without a password, or if it looks like one.
        public static let proxyAuthenticationRequired = Code("proxyAuthenticationRequired", .proxy, .local)

        /// Nothing was sent for `timeouts.idleWrite`: the peer accepted no bytes, or the body supplied none.
        public static let writeTimeout = Code("writeTimeout", .send, .peer)
        /// The connection failed before the whole request was written.
        public static let sendFailed = Code("sendFailed", .send, .network)
        /// The stream of the body threw, or did not have its declared length, or the closure of its trailers threw.
        public static let requestBodyFailed = Code("requestBodyFailed", .send, .local)

        /// Nothing was received for `timeouts.idleRead`.
        public static let readTimeout = Code("readTimeout", .receive, .peer)
        /// The connection was closed before the end of the response.
        public static let connectionClosed = Code("connectionClosed", .receive, .peer)
        /// The server reset the stream of the request, HTTP/2. The error describes its code.
        public static let streamReset = Code("streamReset", .receive, .peer)
        /// The response is not HTTP, or is ambiguous.
        public static let malformedResponse = Code("malformedResponse", .receive, .peer)
        /// The head, a field, a chunk-size line or the trailers exceed their limit.
        public static let responseTooLarge = Code("responseTooLarge", .receive, .peer)
        /// The body exceeds `limits.collectedBodyBytes`, or one of its lines exceeds the `limitBytes` of its reader.
        public static let bodyTooLarge = Code("bodyTooLarge", .receive, .local)
        /// The body was read a second time.
        public static let bodyAlreadyRead = Code("bodyAlreadyRead", .receive, .local)
        /// The file for the body, or for cookies, can't be created or written.
        public static let fileUnwritable = Code("fileUnwritable", .receive, .local)
        /// A file is at the destination already, and may not be replaced.
        public static let fileExists = Code("fileExists", .receive, .local)
        /// Another download uses the part of the file, or another run the folder of the `TransferQueue`.
        public static let fileInUse = Code("fileInUse", .receive, .local)
        /// A downloaded file does not have the `ExpectedDigest` of its request, or the `Repr-Digest` of its response.
        public static let digestMismatch = Code("digestMismatch", .receive, .peer)

        /// The body does not match its content coding, or ends early.
        public static let contentCodingFailed = Code("contentCodingFailed", .decode, .peer)
        /// The response has more content codings than `limits.stackedCodings`.
        public static let contentCodingUnsupported = Code("contentCodingUnsupported", .decode, .peer)
        /// The decoded body exceeds `limits.expansionRatio` times the received bytes.
        public static let expansionLimit = Code("expansionLimit", .decode, .peer)

        /// There were more redirects than the policy's limit.
        public static let tooManyRedirects = Code("tooManyRedirects", .redirect, .peer)
        /// The `Location` can't be requested, or the redirect or its handler leads from https to http.
        public static let redirectInvalid = Code("redirectInvalid", .redirect, .peer)
        /// A redirect handler threw. Its error is `underlying`.
        public static let redirectHandlerFailed = Code("redirectHandlerFailed", .redirect, .local)
        /// The link to the next page can't be requested, leads to an origin that is not allowed, or leads to a page
        /// that was already requested.
        public static let pageLinkInvalid = Code("pageLinkInvalid", .redirect, .peer)
        /// There were more pages than the `maximumCount` of the sequence.
        public static let tooManyPages = Code("tooManyPages", .redirect, .peer)

        /// A middleware threw. Its error is `underlying`.
        public static let middlewareFailed = Code("middlewareFailed", .middleware, .local)
        /// The host failed too often recently, so nothing was sent. `underlying` is an `OpenCircuit`, with the delay.
        public static let circuitOpen = Code("circuitOpen", .middleware, .peer)

        /// The status is not an acceptable one.
        public static let unacceptableStatus = Code("unacceptableStatus", .validate, .peer)
        /// The content type is not an acceptable one.
        public static let unacceptableContentType = Code("unacceptableContentType", .validate, .peer)
        /// The response has no content type, but a specific one is required.
        public static let missingContentType = Code("missingContentType", .validate, .peer)
        /// A custom validator rejected the response. Its error is `underlying`.
        public static let validationFailed = Code("validationFailed", .validate, .local)

        /// The body is empty, but one is required.
        public static let emptyBody = Code("emptyBody", .serialize, .peer)
        /// The body could not be decoded into the type. The error describes the position.
        public static let decodingFailed = Code("decodingFailed", .serialize, .peer)
        /// The body is not in the requested or declared string encoding.
        public static let stringDecodingFailed = Code("stringDecodingFailed", .serialize, .peer)
        /// The file that a response was downloaded to can no longer be read.
        public static let downloadedFileUnreadable = Code("downloadedFileUnreadable", .serialize, .local)
        /// A custom serializer threw. Its error is `underlying`.
        public static let serializerFailed = Code("serializerFailed", .serialize, .local)

        /// A retrier ended the request with its own error. `underlying` is a `RetryFailure`, which has both errors.
        public static let retryFailed = Code("retryFailed", .retry, .local)

        /// The request was cancelled, by the caller or by cancelling the task that awaited it.
        public static let cancelled = Code("cancelled", .cancelled, .local)
        /// The request did not finish within `timeouts.request`, or within its own `RequestDeadline`.
        public static let deadlineExceeded = Code("deadlineExceeded", .cancelled, .local)
        /// The session was shut down.
        public static let sessionShutDown = Code("sessionShutDown", .cancelled, .local)
        /// The session was released.
        public static let sessionGone = Code("sessionGone", .cancelled, .local)
    }
}

extension ApusError {
    /// The party that caused the failure.
    public var blame: Blame { code.blame }

    /// Whether a time limit was exceeded: of the pool, connecting, TLS, a proxy, an idle connection, or the request.
    public var isTimeout: Bool {
        [
            .poolTimeout, .connectTimeout, .tlsTimeout, .proxyTimeout, .writeTimeout, .readTimeout, .deadlineExceeded,
        ].contains(code)
    }

    /// Whether the request was cancelled on this side: by the caller, by its task, or because its session ended.
    public var isCancelled: Bool { phase == .cancelled && code != .deadlineExceeded }

    /// Whether no connection was established, so that no byte of the request left this machine.
    public var isConnect: Bool { [.queue, .resolve, .connect, .tls, .proxy].contains(phase) }

    /// Whether a validator rejected the response.
    public var isValidation: Bool { phase == .validate }

    /// The status code of the response, if one has arrived.
    public var responseCode: Int? { response?.status.code }

    /// The `Content-Type` of the response, if one has arrived and it has such a field.
    public var responseContentType: String? { response?.headerFields[.contentType] }
}
