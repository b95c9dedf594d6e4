internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct SessionTaskTests {
    private func make(
        _ test: TestManager,
        _ completion: @escaping @Sendable (ApusError?) -> Void = { _ in }
    ) throws -> SessionTask {
        test.manager.dataTask(with: try RequestMessage("http://h/x")) { completion($3) }
    }

    /// Parity: AFN-task-data, AFN-task-suspended
    @Test func followsItsLifeCycle() async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let ended = Deferred<ApusError?>()
        let task = try make(test) { ended.fulfill($0) }
        #expect(task.state == .suspended)
        task.resume()
        #expect(task.state == .running)
        await barrier.reached()
        task.suspend()
        #expect(task.state == .suspended)
        #expect(task.response == nil)
        barrier.open()
        task.resume()
        #expect(await ended.value == nil)
        #expect(task.state == .completed)
        #expect(task.response?.status == .ok)
        task.resume()
        task.suspend()
        task.cancel()
        #expect(task.state == .completed)
        #expect(task.error == nil)
    }

    @Test func canBeSuspendedAtItsStart() async throws {
        let test = TestManager()
        let ended = Deferred<ApusError?>()
        let task = try make(test) { ended.fulfill($0) }
        task.resume()
        task.suspend()
        #expect(task.state == .suspended || task.state == .completed)
        task.resume()
        #expect(await ended.value == nil)
    }

    @Test func sendsNothingIfCancelledBeforeItBegins() async throws {
        let test = TestManager()
        let ended = Deferred<ApusError?>()
        let task = try make(test) { ended.fulfill($0) }
        task.cancel()
        task.cancel()
        #expect(task.state == .canceling || task.state == .completed)
        #expect(await ended.value?.code == .cancelled)
        task.resume()
        #expect(task.state == .completed)
        #expect(test.transport.requests.isEmpty)
    }

    @Test func endsIfCancelledWhileRunning() async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let ended = Deferred<ApusError?>()
        let task = try make(test) { ended.fulfill($0) }
        task.resume()
        await barrier.reached()
        task.cancel()
        #expect(await ended.value?.code == .cancelled)
        #expect(task.error?.code == .cancelled)
        try await assertNothingLeft(test.manager.session)
    }

    @Test func endsIfCancelledWhileSuspended() async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let ended = Deferred<ApusError?>()
        let task = try make(test) { ended.fulfill($0) }
        task.resume()
        await barrier.reached()
        task.suspend()
        barrier.open()
        task.cancel()
        #expect(await ended.value?.code == .cancelled)
        try await assertNothingLeft(test.manager.session)
    }

    /// In any order of calls, the completion handler is called once, and no resources are left.
    @Test func completesOnceUnderConcurrentCalls() async throws {
        let test = TestManager()
        for _ in 0..<50 {
            let codes = LockedList<ApusError.Code?>()
            let ended = Deferred<Void>()
            let task = try make(test) { error in
                codes.append(error?.code)
                ended.fulfill(())
            }
            await withTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        switch number % 4 {
                        case 0, 1: task.resume()
                        case 2: task.suspend()
                        default: task.cancel()
                        }
                    }
                }
            }
            await ended.value
            #expect(task.state == .completed)
            #expect(codes.all.count == 1)
        }
        #expect(test.manager.tasks.isEmpty)
        try await assertNothingLeft(test.manager.session)
    }

    // MARK: Progress

    /// Parity: AFN-task-progress-object
    @Test func isControlledByItsProgress() async throws {
        let queue = DispatchQueue(label: "apus.tests.progress")
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let ended = Deferred<ApusError?>()
        let task = try make(test) { ended.fulfill($0) }
        let progress = task.makeDownloadProgress(queue: queue)
        #expect(progress.totalUnitCount == -1 && progress.isCancellable && progress.isPausable)
        queue.sync { progress.resume() }
        await barrier.reached()
        queue.sync { progress.pause() }
        #expect(await eventually { task.state == .suspended })
        queue.sync { progress.resume() }
        #expect(await eventually { task.state == .running })
        queue.sync { progress.cancel() }
        #expect(await ended.value?.code == .cancelled)
        #expect(queue.sync { !progress.isFinished })
        try await assertNothingLeft(test.manager.session)
    }

    /// Parity: AFN-task-progress-object, AFN-task-progress
    @Test func isFollowedByItsProgressAsPartOfAnother() async throws {
        let queue = DispatchQueue(label: "apus.tests.progress")
        let test = TestManager { _ in
            MockResponse(
                fields: [.contentType: "application/json", .contentLength: "2"],
                chunks: [BodyChunk("{"), BodyChunk("}")]
            )
        }
        let ended = Deferred<ApusError?>()
        let task = try make(test) { ended.fulfill($0) }
        let parent = Foundation.Progress.discreteProgress(totalUnitCount: 4)
        let (upload, download) = (task.makeUploadProgress(queue: queue), task.makeDownloadProgress(queue: queue))
        queue.sync {
            parent.addChild(upload, withPendingUnitCount: 1)
            parent.addChild(download, withPendingUnitCount: 3)
        }
        task.resume()
        #expect(await ended.value == nil)
        #expect(await eventually { queue.sync { parent.isFinished } })
        #expect(queue.sync { download.completedUnitCount == 2 && download.totalUnitCount == 2 && upload.isFinished })
        #expect(task.downloadProgress.completed == 2 && task.downloadProgress.isFinished)
        // A complete task makes a finished one.
        #expect(task.makeDownloadProgress(queue: queue).isFinished)
        try await assertNothingLeft(test.manager.session)
    }

    @Test func isNotHeldByItsProgress() async throws {
        let test = TestManager()
        let queue = DispatchQueue(label: "apus.tests.progress")
        weak var weakTask: SessionTask?
        let progress: Foundation.Progress
        do {
            let ended = Deferred<ApusError?>()
            let task = try make(test) { ended.fulfill($0) }
            progress = task.makeDownloadProgress(queue: queue)
            weakTask = task
            task.resume()
            #expect(await ended.value == nil)
        }
        #expect(await eventually { weakTask == nil })
        queue.sync { progress.cancel() }
        try await assertNothingLeft(test.manager.session)
    }

    @Test func keepsItsDescriptionAndShowsNoSecrets() async throws {
        let test = TestManager()
        let request = try RequestMessage("http://ada:secret@h/x?token=12345")
        let task = test.manager.dataTask(with: request) { _, _, _, _ in }
        #expect(task.taskDescription == nil)
        task.taskDescription = "the first"
        #expect(task.taskDescription == "the first")
        #expect(!task.description.contains("secret") && !task.description.contains("12345"))
        #expect(task.description.hasPrefix("task 1, GET http://h/x"))
        #expect(task.originalRequest.target.path == "/x?token=12345")
    }

    @Test func releasesItsRequestAfterCompletion() async throws {
        let test = TestManager()
        let session = try test.manager.session
        weak var weakTask: SessionTask?
        do {
            let ended = Deferred<ApusError?>()
            let task = try make(test) { ended.fulfill($0) }
            weakTask = task
            task.resume()
            #expect(await ended.value == nil)
        }
        try await assertNothingLeft(session)
        #expect(await eventually { weakTask == nil })
    }
}
