internal import Apus
internal import ApusTesting
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct CancellationSamples {
    private let clock: ManualClock
    private let session: Session

    init() {
        clock = ManualClock()
        session = SampleService.session(clock: clock)
    }

    @Test func cancelsATask() async {
        let session = session
        let task = Task {
            try await session.get("https://api.example.org/slow")
        }
        task.cancel()
        let error = await #expect(throws: ApusError.self) { try await task.value }
        #expect(error?.isCancelled == true)
    }

    @Test func sharesAHandle() async throws {
        let shared = session.request("https://api.example.org/users/1")
            .serializingDecodable(User.self, automaticallyCancelling: false)
        #expect(try await shared.value.name == "Ada")
        #expect(try await shared.value.id == 1)
    }

    @Test func stopsReadingAStream() async throws {
        let response = try await session.stream("https://api.example.org/events")
        for try await chunk in response.body {
            if String(chunk).contains("last") { break }
        }
    }

    @Test func cancelsAtTheDeadline() async {
        let mover = Task { [clock] in
            await clock.waitForSleepers(2)
            clock.advance(by: .seconds(3))
        }
        do {
            try await session.get("https://api.example.org/slow", options: [RequestDeadline(.seconds(3))]).validate()
        } catch {
            if error.code == .deadlineExceeded { print("too slow") }
        }
        await mover.value
    }
}
