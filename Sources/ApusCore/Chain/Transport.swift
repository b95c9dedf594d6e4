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

    /// The capabilities of the transport. Default: `.basic`.
    var capabilities: TransportCapabilities { get }

    /// Closes all connections. Default: does nothing.
    ///
    /// - Parameter gracefully: Whether exchanges may finish first. Otherwise they fail now.
    func close(gracefully: Bool) async
}

extension Transport {
    public func executor(for origin: Origin) -> (any TaskExecutor)? { nil }

    public var capabilities: TransportCapabilities { .basic }

    public func close(gracefully: Bool) async {}
}

/// The parts of a transport's work that the chain would otherwise do.
public struct TransportCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Nothing beyond requests and responses.
    public static let basic: TransportCapabilities = []
    /// Responses keep their content codings. Without this capability, the transport decodes them.
    public static let rawContentCoding = TransportCapabilities(rawValue: 1 << 0)
    /// Redirects are returned as responses. Without this capability, the transport follows them.
    public static let rawRedirects = TransportCapabilities(rawValue: 1 << 1)
}
