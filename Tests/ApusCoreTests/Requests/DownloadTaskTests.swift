internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DownloadTaskTests {
    private let test = TestSession { _ in
        MockResponse(fields: [.contentType: "text/plain; charset=iso-8859-1"], chunks: [BodyChunk([0x22, 0xE9, 0x22])])
    }

    /// Parity: AF-serializer-download
    @Test func returnsTheResponseInAnyForm() async throws {
        let request = test.session.download("http://h/", to: .temporary)
        let tasks = (request.serializingData(), request.serializingString(), request.serializingString(encoding: .utf8))
        let file = try await request.serializingURL().value
        #expect(try await tasks.0.value == Data([0x22, 0xE9, 0x22]))
        #expect(try await tasks.1.value == "\"é\"")
        #expect(await tasks.2.response.error?.code == .stringDecodingFailed)
        #expect(await request.serializingDecodable(String.self).response.error?.code == .decodingFailed)
        // A value can be read any number of times.
        #expect(try await tasks.0.value == tasks.0.result.get())
        #expect(test.transport.requests.count == 1)
        try FileManager.default.removeItem(at: file)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-fault-early-task-cancel
    @Test func startsNothingInATaskThatIsCancelled() async throws {
        let response = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await test.session.download("http://h/", to: .temporary).serializingURL().response
        }.value
        #expect(response.error?.code == .cancelled)
        #expect(response.error?.detail == "the task waiting for it was cancelled")
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func outlivesTheAwaitingTaskWithoutAutomaticCancellation() async throws {
        let barrier = Barrier()
        let hanging = TestSession.hanging(barrier)
        let request = hanging.session.download("http://h/", to: .temporary)
        let task = request.serializingURL(automaticallyCancelling: false)
        let awaiting = Task { await task.response }
        await barrier.reached()
        awaiting.cancel()
        #expect(request.state == .resumed)
        barrier.open()
        try FileManager.default.removeItem(at: #require(await awaiting.value.value))
        try await assertNothingLeft(hanging.session)
    }

    @Test func controlsItsRequestForAllTasks() async throws {
        let barrier = Barrier()
        let hanging = TestSession.hanging(barrier)
        let request = hanging.session.download("http://h/", to: .temporary)
        let patient = request.serializingURL(automaticallyCancelling: false)
        let task = request.serializingData()
        await barrier.reached()
        task.suspend()
        #expect(request.state == .suspended)
        task.resume()
        #expect(request.state == .resumed)
        task.cancel()
        #expect(await task.result.failure?.code == .cancelled)
        #expect(await patient.result.failure?.code == .cancelled)
        try await assertNothingLeft(hanging.session)
    }
}
