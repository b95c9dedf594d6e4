internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Which executor of a loop a request runs on: callers on the global executor are guests, and no others.
@Suite(.timeLimit(.minutes(5))) struct GuestPlacementTests {
    private final class Place: TaskExecutor {
        let queue: TestQueue

        init(_ name: String) {
            queue = TestQueue(name)
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private struct PlacedTransport: Transport {
        let loop = Place("loop")
        let guests = Place("guests")
        let places = Notes<String>()

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

    private actor Room {
        func get(_ session: Session) async throws { _ = try await session.get("http://h/") }
    }

    private let transport = PlacedTransport()

    private func session(_ userCode: UserCodeExecution = .offLoop) -> Session {
        var configuration = Session.Configuration()
        configuration.userCode = userCode
        return Session(configuration: configuration, transport: transport)
    }

    @Test func guestsAreThoseOfTheGlobalExecutor() async throws {
        let session = session()
        try await Task.detached { _ = try await session.get("http://h/") }.value
        try await Task(executorPreference: globalConcurrentExecutor) { _ = try await session.get("http://h/") }.value
        #expect(transport.places.all == ["guests", "guests"])
    }

    @MainActor @Test func aCallerOnTheMainActorIsNone() async throws {
        _ = try await session().get("http://h/")
        #expect(transport.places.all == ["loop"])
    }

    @Test func aCallerOnAnActorIsNone() async throws {
        try await Room().get(session())
        #expect(transport.places.all == ["loop"])
    }

    @Test func aCallerOnAnExecutorOfItsOwnIsNone() async throws {
        let session = session()
        for executor in [transport.loop, Place("own")] {
            try await Task(executorPreference: executor) { _ = try await session.get("http://h/") }.value
        }
        #expect(transport.places.all == ["loop", "loop"])
    }

    @Test func nobodyIsWhereUserCodeRunsOnTheLoop() async throws {
        let session = session(.onLoop)
        try await Task.detached { _ = try await session.get("http://h/") }.value
        #expect(transport.places.all == ["loop"])
    }

    /// With a deadline a call runs in a task of its own, which has neither the actor nor the executor of its caller.
    @MainActor @Test func aCallWithADeadlineIsWhereOneWithoutIs() async throws {
        let session = session()
        let options: RequestOptions = [RequestDeadline(.seconds(60))]
        _ = try await session.get("http://h/", options: options)
        _ = try await session.stream("http://h/", options: options)
        try await Task(executorPreference: Place("own")) {
            _ = try await session.get("http://h/", options: options)
        }.value
        #expect(transport.places.all == ["loop", "loop", "loop"])
        try await Task.detached { _ = try await session.get("http://h/", options: options) }.value
        #expect(transport.places.all.last == "guests")
    }

    /// Its completions are called on queues, which have nothing to do with the global executor.
    @Test func aHandleIsNone() async throws {
        let session = session()
        let told = Deferred<Bool>()
        session.request("http://h/").responseData(queue: .main) { told.fulfill($0.error == nil) }
        #expect(await told.value)
        #expect(try await session.request("http://h/").serializingString().value == "ok")
        #expect(transport.places.all == ["loop", "loop"])
    }
}
