/// Sends a request to its origin and returns the response. It is the last `next` of the chain.
///
/// `ApusEngine` uses sockets. `MockTransport` (ApusTesting) responds from a closure.
public protocol Transport: Sendable {
    /// Performs one exchange, and returns with the final head. The request body may still be going out.
    ///
    /// It writes its measurements to `record`, and closes `record` when the exchange is over. It can be called on any
    /// executor.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the exchange and throws.
    ///
    /// - Parameters:
    ///   - request: The request to send, complete except for the message framing.
    ///   - context: The context of the request that the exchange belongs to, with its options.
    ///   - record: The record for the measurements of the exchange.
    /// - Returns: The response with the final head. Its body may still be arriving.
    /// - Throws: `ApusError`. Any other error becomes the `underlying` error of one with the code `sendFailed`.
    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage

    /// Returns the executor that avoids thread switches in exchanges with `origin`, if there is one. Default: `nil`.
    func executor(for origin: Origin) -> (any TaskExecutor)?

    /// Returns the executor for requests to `origin` from the global executor. Default: that of `executor(for:)`.
    ///
    /// A request may run its last part on the global executor, together with others, since its caller waits for a
    /// thread there in any case.
    func guestExecutor(for origin: Origin) -> (any TaskExecutor)?

    /// Runs `work` at the cheapest time. It resumes callers that wait for `origin`. Default: runs it immediately.
    ///
    /// It is called on the executor of that origin. The exception is a request that adapters or a later attempt have
    /// moved to another origin: its call comes from the executor of its first origin.
    func wake(for origin: Origin, _ work: @escaping @Sendable () -> Void)

    /// The capabilities of the transport. Default: `.basic`.
    var capabilities: TransportCapabilities { get }

    /// Closes all connections. Default: does nothing.
    ///
    /// - Parameter gracefully: Whether exchanges may finish first. Otherwise they fail now.
    func close(gracefully: Bool) async

    /// The number of open resources by name, for tests that check for leaks. Default: empty.
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

/// The capabilities of a transport beyond plain requests and responses.
public struct TransportCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Nothing beyond requests and responses.
    public static let basic: TransportCapabilities = []
    /// Trailer fields can be read.
    public static let trailers = TransportCapabilities(rawValue: 1 << 0)
    /// Informational responses are reported.
    public static let informational = TransportCapabilities(rawValue: 1 << 1)
    /// `Expect: 100-continue` holds back the request body.
    public static let expectContinue = TransportCapabilities(rawValue: 1 << 2)
    /// Responses keep their content codings. Without this capability, the transport decodes them.
    public static let rawContentCoding = TransportCapabilities(rawValue: 1 << 3)
    /// The response may arrive while the request body is still being sent.
    public static let duplex = TransportCapabilities(rawValue: 1 << 4)
    /// Trust can be configured.
    public static let customTrust = TransportCapabilities(rawValue: 1 << 5)
    /// Redirects are returned as responses. Without this capability, the transport follows them.
    public static let rawRedirects = TransportCapabilities(rawValue: 1 << 6)
}
