internal import Dispatch

/// An executor that stands in for an event loop. Code on it finds its label in `TestQueue.current`.
package final class LoopStandIn: TaskExecutor {
    package static let label = "apus.tests.loop"
    private let loop = TestQueue(LoopStandIn.label)

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
