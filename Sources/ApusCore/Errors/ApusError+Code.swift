internal import HTTPTypes

extension ApusError {
    /// The part of a request's way in which it failed.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Nothing was done yet: the request or the configuration can't be carried out.
        case setup
        /// It waited for a connection.
        case queue
        /// The name of the host was turned into addresses.
        case resolve
        /// A TCP connection was made.
        case connect
        /// The TLS handshake.
        case tls
        /// The request went out.
        case send
        /// The answer came in.
        case receive
        /// The content was freed of its codings.
        case decode
        /// A redirect was followed.
        case redirect
        /// A middleware of the user's had it.
        case middleware
        /// The answer was validated.
        case validate
        /// The content was turned into a value.
        case serialize
        /// A retrier had it.
        case retry
        /// It was given up, or its time was over, wherever it was.
        case cancelled
    }

    /// Whose fault it was.
    public enum Blame: String, Sendable, Hashable {
        /// The program or this machine: a wrong argument, an unreadable file, a limit of its own.
        case local
        /// The peer: what it sent, or that it did not.
        case peer
        /// Neither can be told: the way between.
        case network
    }

    /// What went wrong. New codes may come with a minor version: keep a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, for logs and the labels of metrics.
        public let name: String
        /// The phase that the code belongs to.
        public let phase: Phase
        /// Whose fault it was.
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

        /// It is no absolute `http` or `https` URI.
        public static let invalidURL = Code("invalidURL", .setup, .local)
        /// A field has a name or value that would be misread, or contradicts how the message is framed; or a cookie is refused.
        public static let invalidField = Code("invalidField", .setup, .local)
        /// The method, the target or the content can't be sent as they are.
        public static let invalidRequest = Code("invalidRequest", .setup, .local)
        /// The content is needed a second time, and can be read once only.
        public static let bodyNotReplayable = Code("bodyNotReplayable", .setup, .local)
        /// A file that is to be sent does not exist, is no regular file, or may not be read; or a file of cookies is none.
        public static let fileUnreadable = Code("fileUnreadable", .setup, .local)
        /// A file that is to be sent is no longer what it was when the request was made.
        public static let fileChanged = Code("fileChanged", .setup, .local)
        /// The transport can't do what the request needs.
        public static let missingCapability = Code("missingCapability", .setup, .local)
        /// The `RequestConvertible` threw; its error is `underlying`.
        public static let requestBuildingFailed = Code("requestBuildingFailed", .setup, .local)
        /// A parameter can't be put into the request: what its `encode(to:)` threw is `underlying`.
        public static let parameterEncodingFailed = Code("parameterEncodingFailed", .setup, .local)
        /// A part of a multipart content can't be sent: its name, its file or its stream.
        public static let multipartEncodingFailed = Code("multipartEncodingFailed", .setup, .local)
        /// An adapter threw; its error is `underlying`.
        public static let adaptationFailed = Code("adaptationFailed", .setup, .local)
        /// The session was told something that can't be: a file of authorities without a certificate.
        public static let invalidConfiguration = Code("invalidConfiguration", .setup, .local)

        /// No connection was free within `timeouts.poolWait`.
        public static let poolTimeout = Code("poolTimeout", .queue, .local)

        /// The host has no address.
        public static let hostNotFound = Code("hostNotFound", .resolve, .network)
        /// The name server did not answer, or with an error.
        public static let resolveFailed = Code("resolveFailed", .resolve, .network)

        /// No address answered within `timeouts.connect`.
        public static let connectTimeout = Code("connectTimeout", .connect, .network)
        /// Every address refused, or could not be reached.
        public static let connectFailed = Code("connectFailed", .connect, .network)

        /// The handshake had not ended within `timeouts.tls`.
        public static let tlsTimeout = Code("tlsTimeout", .tls, .peer)
        /// The handshake failed.
        public static let tlsFailed = Code("tlsFailed", .tls, .peer)
        /// The server offers no version of TLS from `trust.minimumTLSVersion` on.
        public static let tlsVersionUnsupported = Code("tlsVersionUnsupported", .tls, .peer)
        /// The certificate is not trusted, has expired, or is another host's.
        public static let certificateRejected = Code("certificateRejected", .tls, .peer)

        /// Nothing of the request left for `timeouts.idleWrite`: the peer took nothing, or its content had nothing to send.
        public static let writeTimeout = Code("writeTimeout", .send, .peer)
        /// The connection failed before the whole request was written.
        public static let sendFailed = Code("sendFailed", .send, .network)
        /// The stream of the content threw, or did not have the length that it promised.
        public static let requestBodyFailed = Code("requestBodyFailed", .send, .local)

        /// Nothing came for `timeouts.idleRead`.
        public static let readTimeout = Code("readTimeout", .receive, .peer)
        /// The connection ended before the answer did.
        public static let connectionClosed = Code("connectionClosed", .receive, .peer)
        /// The answer is no HTTP, or could be read in two ways.
        public static let malformedResponse = Code("malformedResponse", .receive, .peer)
        /// The head, a field, a chunk-size line or the trailers are above their limit.
        public static let responseTooLarge = Code("responseTooLarge", .receive, .peer)
        /// The content is above `limits.collectedBodyBytes`.
        public static let bodyTooLarge = Code("bodyTooLarge", .receive, .local)
        /// The content was asked for a second time.
        public static let bodyAlreadyRead = Code("bodyAlreadyRead", .receive, .local)
        /// The file that the content goes to, or that cookies are kept in, can't be made or written.
        public static let fileUnwritable = Code("fileUnwritable", .receive, .local)

        /// The content is not what its coding promises, or ends early.
        public static let contentCodingFailed = Code("contentCodingFailed", .decode, .peer)
        /// There are more codings on top of each other than `limits.stackedCodings`.
        public static let contentCodingUnsupported = Code("contentCodingUnsupported", .decode, .peer)
        /// The content grows to more than `limits.expansionRatio` times what came in.
        public static let expansionLimit = Code("expansionLimit", .decode, .peer)

        /// There were more than the policy's limit.
        public static let tooManyRedirects = Code("tooManyRedirects", .redirect, .peer)
        /// The `Location` is no URI that can be requested, or leads from https to http; or a redirect handler would.
        public static let redirectInvalid = Code("redirectInvalid", .redirect, .peer)
        /// A redirect handler threw; its error is `underlying`.
        public static let redirectHandlerFailed = Code("redirectHandlerFailed", .redirect, .local)

        /// A middleware threw; its error is `underlying`.
        public static let middlewareFailed = Code("middlewareFailed", .middleware, .local)
        /// The host has failed too often of late, and is spared; `underlying` is an `OpenCircuit`, which says for how long.
        public static let circuitOpen = Code("circuitOpen", .middleware, .peer)

        /// The status is not one of those that were asked for.
        public static let unacceptableStatus = Code("unacceptableStatus", .validate, .peer)
        /// The content type is not one of those that were asked for.
        public static let unacceptableContentType = Code("unacceptableContentType", .validate, .peer)
        /// There is no content type, and a certain one was asked for.
        public static let missingContentType = Code("missingContentType", .validate, .peer)
        /// A validator of the user's refused; its error is `underlying`.
        public static let validationFailed = Code("validationFailed", .validate, .local)

        /// There is no content where there has to be one.
        public static let emptyBody = Code("emptyBody", .serialize, .peer)
        /// The content could not be decoded into the type; the error says where.
        public static let decodingFailed = Code("decodingFailed", .serialize, .peer)
        /// The content is not in the encoding that was asked for or named.
        public static let stringDecodingFailed = Code("stringDecodingFailed", .serialize, .peer)
        /// The file that an answer was downloaded into can't be read any more.
        public static let downloadedFileUnreadable = Code("downloadedFileUnreadable", .serialize, .local)
        /// A serializer of the user's threw; its error is `underlying`.
        public static let serializerFailed = Code("serializerFailed", .serialize, .local)

        /// A retrier ended the request with an error of its own; `underlying` is a `RetryFailure`, which has both.
        public static let retryFailed = Code("retryFailed", .retry, .local)

        /// The user, or the task that awaited it, gave it up.
        public static let cancelled = Code("cancelled", .cancelled, .local)
        /// It had not ended within `timeouts.request`, or its own `RequestDeadline`.
        public static let deadlineExceeded = Code("deadlineExceeded", .cancelled, .local)
        /// Its session was shut down.
        public static let sessionShutDown = Code("sessionShutDown", .cancelled, .local)
        /// Nothing held its session any more.
        public static let sessionGone = Code("sessionGone", .cancelled, .local)
    }
}

extension ApusError {
    /// Whose fault it was.
    public var blame: Blame { code.blame }

    /// Whether some time limit ran out: of the pool, of connecting, of TLS, of an idle wire, or of the whole request.
    public var isTimeout: Bool {
        [.poolTimeout, .connectTimeout, .tlsTimeout, .writeTimeout, .readTimeout, .deadlineExceeded].contains(code)
    }

    /// Whether the request was given up on this side: by its user, by its task, or because its session went away.
    public var isCancelled: Bool { phase == .cancelled && code != .deadlineExceeded }

    /// Whether no connection came about, so that nothing of the request left this machine.
    public var isConnect: Bool { [.queue, .resolve, .connect, .tls].contains(phase) }

    /// Whether a validator refused the response.
    public var isValidation: Bool { phase == .validate }

    /// The status code of the response, where one had come.
    public var responseCode: Int? { response?.status.code }
}
