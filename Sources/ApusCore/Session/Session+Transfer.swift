internal import Foundation
package import HTTPTypes

/// The requests of a transfer that consists of several of them.
extension Session {
    /// Builds the request that begins a transfer. Its URL may be relative to the base URL of the session.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method.
    ///   - fields: The header fields.
    ///   - body: The request body.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The request.
    /// - Throws: `ApusError`: `invalidURL`, `invalidField`, or `requestBuildingFailed` with the error that `url` throws.
    package func transferRequest(
        _ url: some URLConvertible,
        method: HTTPRequest.Method,
        fields: RequestFields,
        body: RequestBody,
        options: RequestOptions
    ) throws(ApusError) -> RequestMessage {
        try Self.build { try core.environment.request(url, method, [], fields, body, options) }
    }

    /// Sends a request with a monitor of its own, and collects its response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - monitor: The monitor, which gets the events of this request after those of the session. `nil` for none.
    ///   - sending: Called with the number of bytes of the body that were handed to the wire, from the first byte on for
    ///     each exchange. It is called where the bytes move, so it must not block.
    /// - Returns: The response, with any status.
    /// - Throws: `ApusError`, also if the task is cancelled.
    package func send(
        _ request: RequestMessage,
        notifying monitor: (any EventMonitor)?,
        sending: @escaping @Sendable (_ byteCount: Int64) -> Void
    ) async throws(ApusError) -> Response {
        let call = try DirectCall(core: core, options: request.options) { context throws(ApusError) in
            try Self.build { try request.asRequest(in: context) }
        }
        if let monitor { call.context.add(monitor, to: request) }
        call.context.watchUpload { byteCount, _ in sending(byteCount) }
        return try await call.response()
    }
}
