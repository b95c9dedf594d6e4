internal import HTTPTypes
internal import Synchronization

/// Sends the events of one request to the monitors of its session, and to those of the request itself.
final class RequestEventSink: ExchangeListener {
    let request: RequestID
    /// Whether the request has sent events and is not finished, as seen by the dispatcher, which changes it
    /// under its lock.
    let isUnfinished = Atomic(false)
    private let dispatcher: EventDispatcher
    private let label: String?

    /// The request before it is built. `nil` without a label.
    private let unbuilt: RequestSummary.Details?
    /// The request as it was built first. Set at most once, so that events need no lock to read it.
    private let built = OnceReference<RequestSummary.Details>()
    /// The request as its adapters have returned it first, if they have changed its method or target.
    private let adapted = OnceReference<RequestSummary.Details>()
    /// Whether the first adaptation was recorded.
    private let isAdapted = Atomic(false)

    /// A dispatcher for each monitor of the request, in the order in which they were added.
    private let own = Lock<[EventDispatcher]>([])
    /// Whether there are any, so that a request without them takes no lock.
    private let hasOwn = Atomic(false)
    private let ownReceiveProgress = Atomic(false)
    private let ownBodyPrefixBytes = Atomic(0)

    init(request: RequestID, label: String? = nil, dispatcher: EventDispatcher) {
        self.request = request
        self.dispatcher = dispatcher
        self.label = label
        self.unbuilt = label.map { RequestSummary.Details(label: $0) }
    }

    // MARK: Events

    /// Appends an event without delivering it, for callers that hold a lock. They call `drain()` after releasing it.
    func append(_ event: consuming RequestEvent) {
        guard hasOwn.load(ordering: .acquiring) else { return dispatcher.append(consume event, of: self) }
        _ = appendToAll([consume event])
    }

    /// Schedules the delivery of the appended events.
    func drain() {
        dispatcher.drain()
        guard hasOwn.load(ordering: .acquiring) else { return }
        for dispatcher in own.withLock({ $0 }) { dispatcher.drain() }
    }

    /// Posts the event of a request that was built.
    func postCreated(_ message: RequestMessage) {
        note(message)
        post(.created(message))
    }

    /// Posts the event of a request that its adapters have returned.
    func postAdapted(_ message: RequestMessage) {
        noteAdapted(message)
        post(.adapted(message))
    }

    /// Posts an event other than `created` and `adapted`. One with a follower is not progress.
    func post(_ event: consuming RequestEvent, then follower: RequestEvent.Follower? = nil) {
        guard hasOwn.load(ordering: .acquiring) else {
            return dispatcher.post(consume event, then: follower, of: self)
        }
        postToAll([consume event] + (follower.map { [$0.event] } ?? []))
    }

    private func postToAll(_ events: [RequestEvent]) {
        let dispatchers = appendToAll(events)
        dispatcher.drain()
        for dispatcher in dispatchers { dispatcher.drain() }
    }

    /// Appends events for the monitors of the session, and then for those of the request. One lock for both keeps the
    /// order the same for all of them. Returns the dispatchers of the latter.
    ///
    /// The end of the request releases its monitors, which may hold the request.
    private func appendToAll(_ events: [RequestEvent]) -> [EventDispatcher] {
        own.withLock { dispatchers -> [EventDispatcher] in
            for event in events {
                dispatcher.append(event, of: self)
                for added in dispatchers { added.append(.request(summary, event)) }
            }
            let notified = dispatchers
            if events.contains(where: { $0.role == .end }) {
                dispatchers = []
                hasOwn.store(false, ordering: .releasing)
            }
            return notified
        }
    }

    // MARK: Monitors

    /// Adds a monitor of this request. It gets the events from now on until the request is finished, after the monitors
    /// of the session and those that were added before.
    func add(_ monitor: any EventMonitor) {
        let last = own.withLock { $0.last }
        let added = EventDispatcher([monitor], after: last ?? dispatcher)
        own.withLock { dispatchers in
            dispatchers.append(added)
            ownReceiveProgress.store(dispatchers.contains { $0.receivesProgress }, ordering: .relaxed)
            ownBodyPrefixBytes.store(dispatchers.reduce(0) { max($0, $1.bodyPrefixBytes) }, ordering: .relaxed)
            hasOwn.store(true, ordering: .releasing)
        }
    }

    /// Whether any monitor receives progress events.
    var receivesProgress: Bool { dispatcher.receivesProgress || ownReceiveProgress.load(ordering: .relaxed) }

    /// The maximum number of bytes of a response body that a monitor asks for.
    var bodyPrefixBytes: Int { max(dispatcher.bodyPrefixBytes, ownBodyPrefixBytes.load(ordering: .relaxed)) }

    // MARK: Summary

    /// The request as the next event sees it.
    var summary: RequestSummary {
        RequestSummary(id: request, details: adapted.load() ?? built.load() ?? unbuilt)
    }

    /// Records the method and the target of the request, once it is built.
    func note(_ message: RequestMessage) {
        guard built.load() == nil else { return }
        _ = built.storeIfNil(details(of: message))
    }

    private func noteAdapted(_ message: RequestMessage) {
        guard !isAdapted.exchange(true, ordering: .relaxed) else { return }
        // Most adapters change only fields.
        if let before = built.load(), before.describes(message) { return }
        _ = adapted.storeIfNil(details(of: message))
    }

    private func details(of message: RequestMessage) -> RequestSummary.Details {
        RequestSummary.Details(
            label: message.options[RequestLabel.self]?.name ?? label,
            method: message.method,
            target: message.target
        )
    }

    // MARK: Exchanges

    func exchange(_ record: ExchangeRecord, didSend byteCount: Int64, of total: Int64?) {
        if receivesProgress { post(.contentSent(byteCount, of: total)) }
    }

    func exchange(_ record: ExchangeRecord, didReceiveInformational response: HTTPResponse) {
        post(.informational(response))
    }

    func exchangeDidEnd(_ record: ExchangeRecord) {
        post(.exchangeEnded(record))
    }
}
