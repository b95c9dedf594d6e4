internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DownloadRequestResponseTests {
    private let test = TestSession { request in
        MockResponse(fields: [.contentType: "text/plain; charset=iso-8859-1"], chunks: [BodyChunk(Array("[1,2]".utf8))])
    }

    /// Parity: AF-serializer-url
    @Test func callsEachHandlerOnceAndInOrder() async throws {
        let queue = TestQueue("apus.tests.downloads")
        let notes = LockedList<String>()
        let done = Deferred<URL?>()
        let note: @Sendable (String, URL?) -> Void = { name, file in
            notes.append("\(name)@\(TestQueue.current ?? "")")
            if notes.count == 5 { done.fulfill(file) }
        }
        let request = test.session.download("http://h/", to: .temporary)
            .response(queue: queue.queue) {
                note("\($0.value??.lastPathComponent.hasPrefix("Apus_") == true)", $0.fileURL)
            }
            .responseURL(queue: queue.queue) { note("\($0.value == $0.fileURL)", $0.fileURL) }
            .responseData(queue: queue.queue) { note("\($0.value?.count ?? 0)", $0.fileURL) }
            .responseString(queue: queue.queue, encoding: .utf8) { note($0.value ?? "", $0.fileURL) }
            .responseDecodable(of: [Int].self, queue: queue.queue) { note("\($0.value ?? [])", $0.fileURL) }
        let file = try #require(await done.value)
        #expect(notes.all == ["true", "true", "5", "[1,2]", "[1, 2]"].map { "\($0)@apus.tests.downloads" })
        #expect(await eventually { request.state == .finished })
        #expect(test.transport.requests.count == 1)
        #expect(test.names(of: request).filter { $0 == "serialized" }.count == 4)
        try FileManager.default.removeItem(at: file)
        try await assertNothingLeft(test.session)
        queue.queue.sync {}
        #expect(notes.count == 5)
    }

    @Test func startsWithItsFirstHandlerAndNotBefore() async throws {
        let late = TestSession.configured { $0.startRequestsImmediately = false }
        let done = Deferred<URL?>()
        let request = late.session.download("http://h/", to: .temporary)
            .responseURL(queue: .global()) { done.fulfill($0.value) }
        #expect(request.state == .initialized)
        request.resume()
        try FileManager.default.removeItem(at: #require(await done.value))
        let other = Deferred<URL?>()
        test.session.download("http://h/", to: .temporary).response(queue: .global()) { other.fulfill($0.fileURL) }
        try FileManager.default.removeItem(at: #require(await other.value))
    }

    /// Parity: AF-serializer-prior-error
    @Test func reportsTheFailureToEachHandler() async throws {
        let broken = TestSession { _ in throw ApusError(.connectFailed, "no") }
        let codes = LockedList<ApusError.Code?>()
        let request = broken.session.download("http://h/", to: .temporary)
            .response(queue: .global()) { codes.append($0.error?.code) }
            .responseURL(queue: .global()) { codes.append($0.error?.code) }
            .responseData(queue: .global()) { codes.append($0.error?.code) }
            .responseString(queue: .global()) { codes.append($0.error?.code) }
            .responseDecodable(of: [Int].self, queue: .global()) { codes.append($0.error?.code) }
        #expect(await request.serializingURL().response.error?.code == .connectFailed)
        #expect(await eventually { codes.count == 5 })
        #expect(codes.all == Array(repeating: .connectFailed, count: 5))
        #expect(broken.names(of: request).filter { $0 == "serialized" } == [])
        try await assertNothingLeft(broken.session)
    }

    private struct Lines: DownloadResponseSerializer {
        struct Fault: Error {}

        func serializeDownload(request: RequestMessage, response: HTTPResponse, fileURL: URL) throws -> [Substring] {
            guard response.status == .ok else { throw Fault() }
            return try text(fileURL).split(separator: ",")
        }
    }

    /// Parity: AF-serializer-own, AF-error-serialization
    @Test func runsCustomSerializers() async throws {
        let done = Deferred<[Substring]?>()
        let request = test.session.download("http://h/", to: .temporary)
            .response(queue: .global(), responseSerializer: Lines()) { done.fulfill($0.value) }
        #expect(await done.value == ["[1", "2]"])
        try FileManager.default.removeItem(at: #require(request.fileURL))
        let created = TestSession { _ in MockResponse(status: .created) }
        let response = await created.session.download("http://h/", to: .temporary)
            .serializingDownload(using: Lines()).response
        #expect(response.error?.code == .serializerFailed)
        #expect(response.error?.underlying is Lines.Fault)
        #expect(response.error?.responseCode == 201)
        // The download itself did not fail.
        try FileManager.default.removeItem(at: #require(response.fileURL))
    }

    private struct Problem: Decodable, Equatable, Sendable { let title: String }

    @Test func serializesLikeADataRequest() async throws {
        let request = test.session.download("http://h/", to: .temporary)
        #expect(try await request.serializingResponse(using: JSONResponseSerializer()).value == [1, 2])
        try FileManager.default.removeItem(at: #require(request.fileURL))
    }

    @Test func throwsTheDecodedErrorOfTheService() async throws {
        let refusing = TestSession { _ in MockResponse(status: .conflict, body: #"{"title":"taken"}"#) }
        let task = refusing.session.download("http://h/", to: .temporary).validate().serializingURL()
        let failure = await #expect(throws: ServiceFailure<Problem>.self) {
            try await task.value(orThrowing: Problem.self)
        }
        guard case .refused(let problem, _) = failure else { throw try #require(failure) }
        #expect(problem == Problem(title: "taken"))
        try await assertNothingLeft(refusing.session)
    }

    /// Parity: AF-life-late, AF-error-serialization-file
    @Test func runsALateSerializerAlone() async throws {
        let request = test.session.download("http://h/", to: .temporary)
        let file = try await request.serializingURL().value
        #expect(await eventually { request.state == .finished })
        #expect(try await request.serializingString().value == "[1,2]")
        #expect(await request.serializingDecodable(String.self).response.error?.code == .decodingFailed)
        try FileManager.default.removeItem(at: file)
        let gone = try #require(await request.serializingData().response.error)
        #expect(gone.code == .downloadedFileUnreadable)
        #expect(gone.phase == .serialize && gone.blame == .local)
        #expect(gone.detail == "'\(file.path)' can't be read")
        #expect(gone.underlying != nil && gone.responseCode == 200)
        #expect(try await request.serializingURL().value == file)
        #expect(await eventually { request.state == .finished })
        #expect(test.transport.requests.count == 1)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-life-late-cancelled
    @Test func completesALateSerializerOfACancelledDownload() async throws {
        let request = test.session.download("http://h/", to: .temporary).cancel()
        #expect(await request.serializingURL().response.error?.code == .cancelled)
        #expect(await eventually { test.names(of: request).contains("finished") })
        let done = Deferred<ApusError.Code?>()
        request.responseData(queue: .global()) { done.fulfill($0.error?.code) }
        #expect(await done.value == .cancelled)
        #expect(request.state == .cancelled)
        try await assertNothingLeft(test.session)
    }
}
