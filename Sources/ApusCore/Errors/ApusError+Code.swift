internal import HTTPTypes

extension ApusError {
    /// The part of a request's way in which it failed.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        case setup, queue, resolve, connect, tls, send, receive, decode, redirect, middleware, validate, serialize
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

        public static let invalidURL = Code("invalidURL", .setup, .local)
        public static let invalidField = Code("invalidField", .setup, .local)
        public static let invalidRequest = Code("invalidRequest", .setup, .local)
        public static let bodyNotReplayable = Code("bodyNotReplayable", .setup, .local)
        public static let fileUnreadable = Code("fileUnreadable", .setup, .local)
        public static let fileChanged = Code("fileChanged", .setup, .local)
        public static let missingCapability = Code("missingCapability", .setup, .local)
        public static let requestBuildingFailed = Code("requestBuildingFailed", .setup, .local)
        public static let invalidConfiguration = Code("invalidConfiguration", .setup, .local)

        public static let poolTimeout = Code("poolTimeout", .queue, .local)

        public static let hostNotFound = Code("hostNotFound", .resolve, .network)
        public static let resolveFailed = Code("resolveFailed", .resolve, .network)

        public static let connectTimeout = Code("connectTimeout", .connect, .network)
        public static let connectFailed = Code("connectFailed", .connect, .network)

        public static let tlsTimeout = Code("tlsTimeout", .tls, .peer)
        public static let tlsFailed = Code("tlsFailed", .tls, .peer)
        public static let certificateRejected = Code("certificateRejected", .tls, .peer)

        public static let writeTimeout = Code("writeTimeout", .send, .peer)
        public static let sendFailed = Code("sendFailed", .send, .network)
        public static let requestBodyFailed = Code("requestBodyFailed", .send, .local)

        public static let readTimeout = Code("readTimeout", .receive, .peer)
        public static let connectionClosed = Code("connectionClosed", .receive, .peer)
        public static let malformedResponse = Code("malformedResponse", .receive, .peer)
        public static let responseTooLarge = Code("responseTooLarge", .receive, .peer)
        public static let bodyTooLarge = Code("bodyTooLarge", .receive, .local)
        public static let bodyAlreadyRead = Code("bodyAlreadyRead", .receive, .local)
        public static let fileUnwritable = Code("fileUnwritable", .receive, .local)

        public static let contentCodingFailed = Code("contentCodingFailed", .decode, .peer)
        public static let contentCodingUnsupported = Code("contentCodingUnsupported", .decode, .peer)
        public static let expansionLimit = Code("expansionLimit", .decode, .peer)

        public static let tooManyRedirects = Code("tooManyRedirects", .redirect, .peer)
        public static let redirectLoop = Code("redirectLoop", .redirect, .peer)
        public static let redirectInvalid = Code("redirectInvalid", .redirect, .peer)

        public static let middlewareFailed = Code("middlewareFailed", .middleware, .local)

        public static let unacceptableStatus = Code("unacceptableStatus", .validate, .peer)
        public static let unacceptableContentType = Code("unacceptableContentType", .validate, .peer)
        public static let missingContentType = Code("missingContentType", .validate, .peer)
        public static let validationFailed = Code("validationFailed", .validate, .local)

        public static let emptyBody = Code("emptyBody", .serialize, .peer)
        public static let decodingFailed = Code("decodingFailed", .serialize, .peer)
        public static let stringDecodingFailed = Code("stringDecodingFailed", .serialize, .peer)
        public static let serializerFailed = Code("serializerFailed", .serialize, .local)

        public static let cancelled = Code("cancelled", .cancelled, .local)
        public static let deadlineExceeded = Code("deadlineExceeded", .cancelled, .local)
        public static let sessionShutDown = Code("sessionShutDown", .cancelled, .local)
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
