public import HTTPTypes
internal import Synchronization

/// Collects the measurements of one exchange while it is active.
///
/// The transport and the body write to it. Metrics, waterfalls and monitors read it. It is closed exactly once: by the
/// end of the response, by an error, or when the response is released.
public final class ExchangeRecord: Sendable {
    /// The method of the request.
    public let method: HTTPRequest.Method
    /// The target of the request.
    public let target: TargetURI
    /// The reason for the exchange.
    public let cause: ExchangeCause

    private struct State {
        var metrics: ExchangeMetrics
        /// The declared length of the response's coded body, if that is decoded.
        var codedLength: Int64?
        /// Called with the number of bytes of the request's body that were sent, and the total.
        var upload: UploadWatch?
        /// Released when the record is closed, so that a kept record keeps nothing else alive.
        var listener: (any ExchangeListener)?
    }

    typealias UploadWatch = @Sendable (_ sent: Int64, _ total: Int64?) -> Void

    private let storage: Lock<State>
    private let contentLength: Int64?
    /// The number of bytes of the response's coded body that were decoded so far, or -1 if it is not decoded. Read for
    /// each response, so it needs no lock.
    private let codedBytes = Atomic<Int64>(-1)

    package init(
        method: HTTPRequest.Method,
        target: TargetURI,
        cause: ExchangeCause,
        begin: MonotonicInstant,
        listener: (any ExchangeListener)? = nil,
        contentLength: Int64? = nil
    ) {
        self.method = method
        self.target = target
        self.cause = cause
        self.storage = Lock(
            State(
                metrics: ExchangeMetrics(method: method, target: target, cause: cause, begin: begin),
                listener: listener
            )
        )
        self.contentLength = contentLength
    }

    /// The measurements so far.
    public var metrics: ExchangeMetrics { storage.withLock { $0.metrics } }

    /// Changes the measurements. Does nothing once the record is closed.
    public func write(_ change: (inout ExchangeMetrics) -> Void) {
        storage.withLock { state in
            if state.metrics.end == nil { change(&state.metrics) }
        }
    }

    /// Records how many bytes after the end of a complete body were dropped.
    ///
    /// Allowed on a closed record, because a body is decoded while it is read, possibly after the end of the exchange.
    package func noteIgnoredContent(_ byteCount: Int64) {
        guard byteCount > 0 else { return }
        storage.withLock { $0.metrics.ignoredContentBytes = byteCount }
    }

    /// Whether the body of the response was decoded, so that its ranges count other bytes than those of the reader.
    package var isDecoded: Bool { codedBytes.load(ordering: .acquiring) >= 0 }

    /// Records that the body of the response is decoded. Allowed on a closed record.
    ///
    /// - Parameter length: The declared length of the coded body, or `nil` if none is declared.
    package func noteDecoding(of length: Int64?) {
        storage.withLock { $0.codedLength = length }
        codedBytes.store(0, ordering: .releasing)
    }

    /// Records how many bytes of the coded body were decoded so far. Allowed on a closed record.
    package func noteDecoded(_ byteCount: Int64) {
        codedBytes.store(byteCount, ordering: .releasing)
    }

    /// Returns the progress of the response's body. A decoded body counts the received bytes, those of the coded body.
    ///
    /// - Parameters:
    ///   - count: The number of bytes that were read. It counts if none were decoded, because middleware has replaced
    ///     the body.
    ///   - total: The number of bytes to read, or `nil` if that is unknown.
    /// - Returns: The number of bytes so far, and in total.
    package func received(_ count: Int64, of total: Int64?) -> (completed: Int64, total: Int64?) {
        let coded = codedBytes.load(ordering: .acquiring)
        guard coded > 0 else { return (count, total) }
        return (coded, storage.withLock { $0.codedLength })
    }

    /// Reports how many bytes of the request's body were handed to the wire so far.
    public func noteSent(_ byteCount: Int64) {
        let (upload, listener) = storage.withLock { state -> (UploadWatch?, (any ExchangeListener)?) in
            if state.metrics.end == nil { state.metrics.requestBodyBytes = byteCount }
            return (state.upload, state.listener)
        }
        upload?(byteCount, contentLength)
        listener?.exchange(self, didSend: byteCount, of: contentLength)
    }

    /// Whether the request has a body.
    var hasContent: Bool { contentLength != 0 }

    /// The bytes of the request's body that were handed to the wire so far, and their total. Without a declared length,
    /// the total is known when the last byte was sent.
    var uploaded: (Int64, Int64?) {
        storage.withLock { state -> (Int64, Int64?) in
            let sent = state.metrics.requestBodyBytes
            return (sent, contentLength ?? (state.metrics.requestEnd == nil ? nil : sent))
        }
    }

    /// Sets the closure that is called with the progress of the request's body.
    func watchUpload(_ watch: @escaping UploadWatch) {
        storage.withLock { state in
            if state.metrics.end == nil { state.upload = watch }
        }
    }

    /// Records an informational response and notifies the listener.
    public func noteInformational(_ response: HTTPResponse) {
        write { $0.informational.append(response) }
        storage.withLock { $0.listener }?.exchange(self, didReceiveInformational: response)
    }

    /// Closes the record. Further calls do nothing.
    ///
    /// - Parameters:
    ///   - end: When the exchange ended.
    ///   - error: The failure, `nil` on success.
    ///   - change: The last change to the measurements.
    public func close(
        at end: MonotonicInstant,
        error: ApusError? = nil,
        _ change: (inout ExchangeMetrics) -> Void = { _ in }
    ) {
        let listener = storage.withLock { state in
            guard state.metrics.end == nil else { return nil as (any ExchangeListener)? }
            change(&state.metrics)
            state.metrics.end = end
            state.metrics.error = error
            state.upload = nil
            return state.listener.take()
        }
        listener?.exchangeDidEnd(self)
    }
}

/// Receives the progress and the end of an exchange.
package protocol ExchangeListener: AnyObject, Sendable {
    func exchange(_ record: ExchangeRecord, didSend byteCount: Int64, of total: Int64?)
    func exchange(_ record: ExchangeRecord, didReceiveInformational response: HTTPResponse)
    func exchangeDidEnd(_ record: ExchangeRecord)
}
