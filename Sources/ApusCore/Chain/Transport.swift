/// What carries a request to its origin and brings the answer back: the last `next` of the chain.
///
/// `ApusEngine` is the one that speaks to sockets; `MockTransport` (ApusTesting) answers from a closure.
public protocol Transport: Sendable {
    /// Performs one exchange, and returns with the final head; the request's content may still be going out.
    ///
    /// It writes into `record` what it measures, and closes it when the exchange is over. It is called on any
    /// executor.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the exchange and throws.
    ///
    /// - Parameters:
    ///   - request: What is to be sent, complete but for what frames the message.
    ///   - context: The request that the exchange belongs to, with its options.
    ///   - record: Where the course of the exchange is written down.
    /// - Returns: The final head; its content may still be on its way.
    /// - Throws: `ApusError`; anything else becomes the cause of one with the code `sendFailed`.
    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage

    /// The executor on which exchanges with `origin` cross no thread; `nil` (the default) where there is none.
    func executor(for origin: Origin) -> (any TaskExecutor)?

    /// The executor for requests to `origin` of callers on the global executor; by default that of `executor(for:)`.
    ///
    /// A request may run its last part on the global executor, together with others, since its caller waits for a thread
    /// there in any case.
    func guestExecutor(for origin: Origin) -> (any TaskExecutor)?

    /// Runs `work`, which wakes who waits for an answer from `origin`, when that is cheapest; now by default.
    ///
    /// It is called on the executor of that origin, but for a request that another attempt, or its adapters, led to another
    /// origin than it began with: that one calls from where it began.
    func wake(for origin: Origin, _ work: @escaping @Sendable () -> Void)

    /// What the transport can do; `.basic` by default.
    var capabilities: TransportCapabilities { get }

    /// Closes everything. Nothing by default.
    ///
    /// - Parameter gracefully: Whether exchanges may end first; else they fail now.
    func close(gracefully: Bool) async

    /// What is open now, for tests that leave nothing behind.
    var liveCounts: [String: Int] { get }
}

extension Transport {
    public func executor(for origin: Origin) -> (any TaskExecutor)? { nil }

    public func guestExecutor(for origin: Origin) -> (any TaskExecutor)? { executor(for: origin) }

    public func wake(for origin: Origin, _ work: @escaping @Sendable () -> Void) { work() }

    public var capabilities: TransportCapabilities { .basic }

    public func close(gracefully: Bool) async {}

    public var liveCounts: [String: Int] { [:] }
}

/// What a transport can do beyond plain requests and answers.
public struct TransportCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Nothing beyond requests and answers.
    public static let basic: TransportCapabilities = []
    /// Trailer fields can be read.
    public static let trailers = TransportCapabilities(rawValue: 1 << 0)
    /// Informational responses are seen.
    public static let informational = TransportCapabilities(rawValue: 1 << 1)
    /// `Expect: 100-continue` holds the content back.
    public static let expectContinue = TransportCapabilities(rawValue: 1 << 2)
    /// The content codings are as the server sent them; without it the transport decodes by itself.
    public static let rawContentCoding = TransportCapabilities(rawValue: 1 << 3)
    /// The answer may come while the request's content is still going out.
    public static let duplex = TransportCapabilities(rawValue: 1 << 4)
    /// Trust can be configured.
    public static let customTrust = TransportCapabilities(rawValue: 1 << 5)
    /// Redirects are handed on; without it the transport follows them by itself.
    public static let rawRedirects = TransportCapabilities(rawValue: 1 << 6)
}
