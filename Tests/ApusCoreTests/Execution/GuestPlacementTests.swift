internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Requests of callers on the global executor run on the guest executor of the loop, all others on its own executor.
@Suite(.timeLimit(.minutes(5))) struct GuestPlacementTests {
    private final class QueueExecutor: TaskExecutor {
        let queue: TestQueue

        init(_ name: String) {
            queue = TestQueue(name)
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private final class RecordingTransport: EventLoopTransport {
        let loop = QueueExecutor("loop")
        let guests = QueueExecutor("guests")
        let places = LockedList<String>()

        func executor(for origin: Origin) -> (any TaskExecutor)? { loop }

        func guestExecutor(for origin: Origin) -> (any TaskExecutor)? { guests }

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            places.append(TestQueue.current ?? "elsewhere")
            return ResponseMessage(status: .ok, body: .whole(BodyChunk("ok")), record: record)
        }
    }

    private actor CallingActor {
        func get(_ session: Session) async throws { _ = try await session.get("http://h/") }
    }

    private let transport = RecordingTransport()

    private func session(_ handlerExecution: HandlerExecution = .concurrent) -> Session {
        var configuration = Session.Configuration()
        configuration.handlerExecution = handlerExecution
        return Session(configuration: configuration, transport: transport)
    }

    @Test func usesTheGuestExecutorForCallersOnTheGlobalExecutor() async throws {
        let session = session()
        try await Task.detached { _ = try await session.get("http://h/") }.value
        try await Task(executorPreference: globalConcurrentExecutor) { _ = try await session.get("http://h/") }.value
        #expect(transport.places.all == ["guests", "guests"])
    }

    @MainActor @Test func usesTheLoopForCallersOnTheMainActor() async throws {
        _ = try await session().get("http://h/")
        #expect(transport.places.all == ["loop"])
    }

    @Test func usesTheLoopForCallersOnAnActor() async throws {
        try await CallingActor().get(session())
        #expect(transport.places.all == ["loop"])
    }

    @Test func usesTheLoopForCallersOnACustomExecutor() async throws {
        let session = session()
        for executor in [transport.loop, QueueExecutor("own")] {
            try await Task(executorPreference: executor) { _ = try await session.get("http://h/") }.value
        }
        #expect(transport.places.all == ["loop", "loop"])
    }

    @Test func usesTheLoopWhenUserCodeRunsOnTheLoop() async throws {
        let session = session(.eventLoop)
        try await Task.detached { _ = try await session.get("http://h/") }.value
        #expect(transport.places.all == ["loop"])
    }

    /// A call with a deadline runs in a separate task, which inherits neither the actor nor the executor of its caller.
    @MainActor @Test func runsACallWithADeadlineWhereOneWithoutRuns() async throws {
        let session = session()
        let options: RequestOptions = [RequestDeadline(.seconds(60))]
        _ = try await session.get("http://h/", options: options)
        _ = try await session.stream("http://h/", options: options)
        try await Task(executorPreference: QueueExecutor("own")) {
            _ = try await session.get("http://h/", options: options)
        }.value
        #expect(transport.places.all == ["loop", "loop", "loop"])
        try await Task.detached { _ = try await session.get("http://h/", options: options) }.value
        #expect(transport.places.all.last == "guests")
    }

    /// The completion handlers of a handle are called on dispatch queues, which are not the global executor.
    @Test func usesTheLoopForHandles() async throws {
        let session = session()
        let succeeded = Deferred<Bool>()
        session.request("http://h/").responseData(queue: .main) { succeeded.fulfill($0.error == nil) }
        #expect(await succeeded.value)
        #expect(try await session.request("http://h/").serializingString().value == "ok")
        #expect(transport.places.all == ["loop", "loop"])
    }
}
