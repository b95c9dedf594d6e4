internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The `Progress` of Foundation that a request makes.
@Suite(.timeLimit(.minutes(5))) struct FoundationProgressTests {
    /// On Linux, a `Progress` is only safe on its queue.
    private let queue = DispatchQueue(label: "apus.tests.progress")

    /// Returns a session whose responses stop before their last chunk.
    private func held(_ barrier: Barrier, length: String? = "6") -> Session {
        var fields: HTTPFields = [:]
        fields[.contentLength] = length
        return Session(
            transport: BodyTransport(fields: fields) { _ in .stream(HeldBody(["abcd", "ef"], before: 1, barrier)) }
        )
    }

    private func parent(of progress: Progress) -> Progress {
        queue.sync {
            let parent = Progress.discreteProgress(totalUnitCount: 10)
            parent.addChild(progress, withPendingUnitCount: 10)
            return parent
        }
    }

    private func isNear(_ fraction: Double, _ expected: Double) -> Bool { abs(fraction - expected) < 0.000_1 }

    /// Parity: AF-progress-properties
    @Test func followsItsRequestAsPartOfAnother() async throws {
        let barrier = Barrier()
        let session = held(barrier)
        let request = session.request("http://h/")
        let progress = request.makeDownloadProgress(queue: queue)
        #expect(progress.totalUnitCount == -1 && progress.completedUnitCount == 0)
        #expect(progress.isCancellable && progress.isPausable && progress.isIndeterminate)
        let parent = parent(of: progress)
        let task = request.serializingData()
        await barrier.reached()
        #expect(await eventually { queue.sync { progress.completedUnitCount == 4 } })
        #expect(queue.sync { progress.totalUnitCount == 6 && isNear(parent.fractionCompleted, 4.0 / 6) })
        barrier.open()
        _ = try await task.value
        #expect(await eventually { queue.sync { progress.isFinished } })
        #expect(queue.sync { progress.fractionCompleted == 1 && parent.isFinished && parent.completedUnitCount == 10 })
        try await assertNothingLeft(session)
    }

    @Test func followsABodyWithoutADeclaredLength() async throws {
        let barrier = Barrier()
        let session = held(barrier, length: nil)
        let request = session.request("http://h/")
        let progress = request.makeDownloadProgress(queue: queue)
        let task = request.serializingData()
        await barrier.reached()
        #expect(await eventually { queue.sync { progress.completedUnitCount == 4 } })
        #expect(queue.sync { progress.totalUnitCount == -1 && progress.fractionCompleted == 0 })
        barrier.open()
        _ = try await task.value
        #expect(await eventually { queue.sync { progress.isFinished } })
        #expect(queue.sync { progress.totalUnitCount == 6 })
        try await assertNothingLeft(session)
    }

    @Test func finishesWithoutABody() async throws {
        let test = TestSession { _ in MockResponse(status: .noContent) }
        let request = test.session.request("http://h/")
        let both = [request.makeUploadProgress(queue: queue), request.makeDownloadProgress(queue: queue)]
        let parents = both.map { parent(of: $0) }
        _ = await request.serializingData().result
        #expect(await eventually { queue.sync { both.allSatisfy(\.isFinished) } })
        #expect(queue.sync { parents.allSatisfy(\.isFinished) })
        // A request that has ended makes a finished one.
        #expect(request.makeDownloadProgress(queue: queue).isFinished)
    }

    @Test func doesNotFinishWithARequestThatFails() async throws {
        let test = TestSession { _ in throw ApusError(.connectFailed, "no answer") }
        let request = test.session.request("http://h/")
        let progress = request.makeDownloadProgress(queue: queue)
        _ = await request.serializingData().result
        #expect(queue.sync { !progress.isFinished && progress.totalUnitCount == -1 })
    }

    // MARK: Control

    /// Parity: AF-progress-properties
    @Test func cancelsItsRequestWithItsParent() async throws {
        let barrier = Barrier()
        let session = held(barrier)
        let request = session.request("http://h/")
        let parent = parent(of: request.makeDownloadProgress(queue: queue))
        let task = request.serializingData()
        await barrier.reached()
        queue.sync { parent.cancel() }
        #expect(await task.response.error?.code == .cancelled)
        #expect(queue.sync { !parent.isFinished })
        try await assertNothingLeft(session)
    }

    @Test func cancelsARequestThatIsAddedToACancelledParent() async throws {
        let test = TestSession.configured { $0.startRequestsImmediately = false }
        let request = test.session.request("http://h/")
        let progress = request.makeUploadProgress(queue: queue)
        queue.sync {
            let parent = Progress.discreteProgress(totalUnitCount: 1)
            parent.cancel()
            parent.addChild(progress, withPendingUnitCount: 1)
        }
        #expect(await eventually { request.state == .cancelled })
        #expect(test.transport.requests.isEmpty)
    }

    @Test func suspendsAndResumesItsRequest() async throws {
        let barrier = Barrier()
        let session = held(barrier)
        let request = session.request("http://h/")
        let progress = request.makeDownloadProgress(queue: queue)
        let task = request.serializingData()
        await barrier.reached()
        queue.sync { progress.pause() }
        #expect(await eventually { request.state == .suspended })
        barrier.open()
        queue.sync { progress.resume() }
        #expect(try await task.value == Data("abcdef".utf8))
        try await assertNothingLeft(session)
    }

    // MARK: Retries

    /// A parent counts a finished child for good, so a retry must not finish it twice.
    /// Parity: AF-progress-retry
    @Test func finishesOnceIfItsRequestIsRetried() async throws {
        let count = LockedValue(0)
        let retrier = Retrier { attempt, _ in attempt.retryCount == 0 ? .retryWithDelay(.seconds(5)) : .doNotRetry }
        let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }) { _ in
            MockResponse(body: count.increased(by: 1) == 1 ? "??" : "[1]")
        }
        let request = test.session.request("http://h/")
        let progress = request.makeDownloadProgress(queue: queue)
        let parent = parent(of: progress)
        let task = request.serializingDecodable([Int].self)
        await test.clock.waitForSleepers(1)
        #expect(queue.sync { !progress.isFinished && !parent.isFinished })
        test.clock.advance(by: .seconds(5))
        #expect(try await task.value == [1])
        #expect(await eventually { queue.sync { progress.isFinished } })
        #expect(queue.sync { progress.completedUnitCount == 3 && parent.completedUnitCount == 10 })
        try await assertNothingLeft(test.session)
    }

    // MARK: Ownership

    @Test func doesNotHoldItsRequest() async throws {
        let test = TestSession()
        weak var finished: RequestTask?
        weak var unsent: RequestTask?
        let both: [Progress]
        do {
            let request = test.session.request("http://h/")
            let other = test.session.request("http://h/")
            both = [request.makeDownloadProgress(queue: queue), other.makeUploadProgress(queue: queue)]
            finished = request.task
            unsent = other.task
            _ = await request.serializingData().result
        }
        #expect(await eventually { finished == nil && unsent == nil })
        queue.sync { for progress in both { progress.cancel() } }
        try await assertNothingLeft(test.session)
    }

    @Test func isReleasedWithItsRequest() async throws {
        let test = TestSession()
        let request = test.session.request("http://h/")
        weak var released: Progress?
        do {
            let progress = request.makeDownloadProgress(queue: queue)
            released = progress
        }
        #expect(released != nil)
        _ = await request.serializingData().result
        #expect(await eventually { queue.sync { released == nil } })
    }

    @Test func reportsItsThroughputAndTime() throws {
        let progress = FoundationProgress(TransferProgress(), on: queue, cancel: {}, pause: {}, resume: {})
        let half = TransferProgress(completed: 50, total: 100, throughput: 25)
        progress.observer.report(half)
        let facts = queue.sync { progress.object.userInfo }
        #expect((facts[.throughputKey] as? NSNumber)?.doubleValue == 25)
        #expect((facts[.estimatedTimeRemainingKey] as? NSNumber)?.doubleValue == 2)
        #expect(queue.sync { progress.object.kind == .file && isNear(progress.object.fractionCompleted, 0.5) })
    }

    /// On Linux, a `Progress` traps if its total becomes 0, and its fractions go wrong if it becomes unknown again.
    @Test func survivesEachChangeOfTheTotal() {
        let totals: [Int64?] = [nil, 100, nil, 0, 1_000_000_007, nil, 1_000_000_009, 7, 0, nil, 1, 5]
        let progress = FoundationProgress(TransferProgress(), on: queue, cancel: {}, pause: {}, resume: {})
        let parent = parent(of: progress.object)
        let observer = progress.observer
        for total in totals {
            for completed in [0, 1, 3] as [Int64] {
                observer.report(TransferProgress(completed: completed, total: total))
                queue.sync {}
                #expect(queue.sync { !progress.object.isFinished && progress.object.totalUnitCount != 0 })
            }
        }
        observer.end(TransferProgress(completed: 3, total: 3))
        #expect(queue.sync { progress.object.isFinished && parent.isFinished && isNear(parent.fractionCompleted, 1) })
        observer.report(TransferProgress(completed: 1, total: 3))
        #expect(queue.sync { progress.object.completedUnitCount == 3 })
    }
}
