public import HTTPTypes

/// What is written down about one exchange while it goes on.
///
/// The transport and the body write into it; metrics, pictures and monitors read it. It is closed exactly once,
/// by the end of the response, by an error, or by being let go.
public final class ExchangeRecord: Sendable {
    /// The method that is sent.
    public let method: HTTPRequest.Method
    /// What the exchange is for.
    public let target: TargetURI
    /// Why it takes place.
    public let cause: HopCause

    private struct State {
        var metrics: HopMetrics
        /// Told how much of the request's content was sent, and how much there is.
        var upload: UploadWatch?
        /// Until the end: whoever keeps a record keeps nothing else alive.
        var listener: (any ExchangeListener)?
    }

    typealias UploadWatch = @Sendable (_ sent: Int64, _ total: Int64?) -> Void

    private let storage: Lock<State>
    private let contentLength: Int64?

    package init(
        method: HTTPRequest.Method,
        target: TargetURI,
        cause: HopCause,
        begin: MonotonicInstant,
        listener: (any ExchangeListener)? = nil,
        contentLength: Int64? = nil
    ) {
        self.method = method
        self.target = target
        self.cause = cause
        self.storage = Lock(
            State(
                metrics: HopMetrics(method: method, target: target, cause: cause, begin: begin),
                listener: listener
            )
        )
        self.contentLength = contentLength
    }

    /// What has been measured so far.
    public var metrics: HopMetrics { storage.withLock { $0.metrics } }

    /// Writes something down; nothing after the record was closed.
    public func write(_ change: (inout HopMetrics) -> Void) {
        storage.withLock { state in
            if state.metrics.end == nil { change(&state.metrics) }
        }
    }

    /// Notes how many bytes behind a complete content were dropped.
    ///
    /// A content is decoded as it is read, which may be after the exchange has ended, so a closed record takes it too.
    package func noteIgnoredContent(_ byteCount: Int64) {
        guard byteCount > 0 else { return }
        storage.withLock { $0.metrics.ignoredContentBytes = byteCount }
    }

    /// Tells who waits for it how many bytes of the request's content were handed to the wire so far.
    public func noteSent(_ byteCount: Int64) {
        let (upload, listener) = storage.withLock { ($0.upload, $0.listener) }
        upload?(byteCount, contentLength)
        listener?.exchange(self, didSend: byteCount, of: contentLength)
    }

    /// Has it told from now on how much of the request's content was sent.
    func watchUpload(_ watch: @escaping UploadWatch) {
        storage.withLock { state in
            if state.metrics.end == nil { state.upload = watch }
        }
    }

    /// Notes an informational response, and tells who listens.
    public func noteInformational(_ response: HTTPResponse) {
        write { $0.informational.append(response) }
        storage.withLock { $0.listener }?.exchange(self, didReceiveInformational: response)
    }

    /// Ends the record; the second call does nothing.
    ///
    /// - Parameters:
    ///   - end: When the exchange ended.
    ///   - error: Why it failed; `nil` where it did not.
    ///   - change: The last that is written down.
    public func close(
        at end: MonotonicInstant,
        error: ApusError? = nil,
        _ change: (inout HopMetrics) -> Void = { _ in }
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

/// Who wants to be told of an exchange's course.
package protocol ExchangeListener: Sendable {
    func exchange(_ record: ExchangeRecord, didSend byteCount: Int64, of total: Int64?)
    func exchange(_ record: ExchangeRecord, didReceiveInformational response: HTTPResponse)
    func exchangeDidEnd(_ record: ExchangeRecord)
}
