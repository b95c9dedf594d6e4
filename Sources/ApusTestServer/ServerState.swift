internal import ApusCore
internal import NIOCore

/// The counters and records of a server, readable on any thread.
final class ServerState: Sendable {
    /// The counters that tests can wait for.
    struct Counts: Sendable {
        var accepted = 0
        var open = 0
        var requests = 0
    }

    private struct Values: Sendable {
        var counts = Counts()
        var requests: [TestRequest] = []
        var waiters = Waiters<Counts>()
        var channels: [ObjectIdentifier: any Channel] = [:]
        var visits: [String: Int] = [:]
        var isStopped = false
    }

    private let values = Lock(Values())
    private let recordLimit: Int

    init(recordLimit: Int) {
        self.recordLimit = recordLimit
    }

    var counts: Counts { values.withLock { $0.counts } }
    var requests: [TestRequest] { values.withLock { $0.requests } }
    var channels: [any Channel] { values.withLock { Array($0.channels.values) } }

    // MARK: Connections

    /// Records a new connection.
    ///
    /// - Returns: Its number, from 1.
    func accepted(_ channel: any Channel) -> Int {
        change { values in
            values.counts.accepted += 1
            values.counts.open += 1
            values.channels[ObjectIdentifier(channel)] = channel
            return values.counts.accepted
        }
    }

    func closed(_ channel: any Channel) {
        change { values in
            values.counts.open -= 1
            values.channels.removeValue(forKey: ObjectIdentifier(channel))
        }
    }

    // MARK: Requests

    /// Counts a request, and stores it up to the limit.
    ///
    /// - Returns: The index for ``replace(_:at:)``, or nil if the request was only counted.
    @discardableResult
    func record(_ request: TestRequest) -> Int? {
        change { values in
            values.counts.requests += 1
            guard values.requests.count < recordLimit else { return nil }
            values.requests.append(request)
            return values.requests.count - 1
        }
    }

    /// Counts a request without storing it.
    func countRequest() {
        change { $0.counts.requests += 1 }
    }

    func replace(_ request: TestRequest, at index: Int) {
        values.withLock { values in
            if values.requests.indices.contains(index) { values.requests[index] = request }
        }
    }

    func forgetRequests() {
        values.withLock { values in
            values.requests = []
            values.counts.requests = 0
        }
    }

    /// Counts the visits to an endpoint whose response depends on them.
    func visit(_ target: String) -> Int {
        values.withLock { values in
            values.visits[target, default: 0] += 1
            return values.visits[target, default: 0]
        }
    }

    // MARK: Waiting

    /// Waits until the counters meet a condition, the server has stopped, or the task is cancelled.
    func wait(until isMet: @escaping @Sendable (Counts) -> Bool) async {
        let token = values.withLock { $0.waiters.makeToken() }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let isThrough = values.withLock { values in
                    // Checked under the lock: a later cancellation finds the waiter in the list.
                    if values.isStopped || isMet(values.counts) || Task.isCancelled { return true }
                    values.waiters.add(.init(isMet: isMet, resume: { continuation.resume() }), token: token)
                    return false
                }
                if isThrough { continuation.resume() }
            }
        } onCancel: {
            values.withLock { $0.waiters.remove(token) }?.resume()
        }
    }

    /// Closes a listener and all of its connections, and ends the thread. Does nothing after the first call.
    func stop(_ listener: any Channel, _ group: any EventLoopGroup) async {
        guard beginStop() else { return }
        try? await listener.close().awaited
        let channels = channels
        for channel in channels { channel.eventLoop.execute { channel.closeAbruptly() } }
        for channel in channels { try? await channel.closeFuture.awaited }
        try? await group.shutdownGracefully()
        endStop()
    }

    /// Records that the server is stopping.
    ///
    /// - Returns: Whether it was running.
    func beginStop() -> Bool {
        values.withLock { values in
            defer { values.isStopped = true }
            return !values.isStopped
        }
    }

    /// Resumes all remaining waiters.
    func endStop() {
        for waiter in values.withLock({ $0.waiters.takeAll() }) { waiter.resume() }
    }

    private func change<Result: Sendable>(_ body: (inout Values) -> Result) -> Result {
        let (result, freed) = values.withLock { values in
            let result = body(&values)
            return (result, values.waiters.takeMet(by: values.counts))
        }
        for waiter in freed { waiter.resume() }
        return result
    }
}
