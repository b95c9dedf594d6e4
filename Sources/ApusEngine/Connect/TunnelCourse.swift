internal import ApusCore
internal import NIOCore

/// The course of a stage that opens a tunnel through a proxy: its handler in the pipeline, and its completion.
final class TunnelCourse {
    private var handler: TunnelHandler?
    private var completion: ((Result<Void, ApusError>) -> Void)?

    /// Whether the tunnel is neither open nor failed.
    var isUnderWay: Bool { completion != nil }

    /// Adds a handler to the connection with the proxy.
    ///
    /// - Parameters:
    ///   - channel: The connection with the proxy.
    ///   - handler: The handler.
    /// - Throws: The error of a closed connection.
    func begin(on channel: (any Channel)?, _ handler: TunnelHandler) throws {
        self.handler = handler
        try channel?.pipeline.syncOperations.addHandler(handler)
    }

    /// Notes the completion of the stage.
    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void) {
        self.completion = completion
    }

    /// Ends the stage with a result.
    func finish(_ result: Result<Void, ApusError>) {
        let completion = completion
        cancel()
        completion?(result)
    }

    /// Ends the stage without a result.
    func cancel() {
        completion = nil
        handler?.stop()
        handler = nil
    }
}
