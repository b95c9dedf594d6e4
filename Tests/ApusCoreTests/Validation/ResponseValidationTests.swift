internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct ResponseValidationTests {
    @Test func looksAtTheHeadBeforeTheBodyIsCollected() async throws {
        let test = TestSession(configuring: { $0.limits.collectedBodyBytes = 3 }) { _ in
            MockResponse(status: 500, chunks: [BodyChunk("very "), BodyChunk("long")])
        }
        let session = test.session
        #expect(await failure { try await session.get("http://h/").validate() }?.code == .bodyTooLarge)
        let rejected = await failure { try await session.get("http://h/", options: [ResponseValidation.success]) }
        #expect(rejected?.code == .unacceptableStatus)
        #expect(rejected?.data == Data("very long".utf8))
        try await assertNothingLeft(session)
    }

    @Test func acceptsAllByDefault() async throws {
        let test = TestSession { _ in MockResponse(status: 500, body: "no") }
        #expect(try await test.session.get("http://h/").statusCode == 500)
        #expect(try await test.session.stream("http://h/").statusCode == 500)
        try await assertNothingLeft(test.session)
    }

    @Test func rejectsResponsesOfAllKindsOfCalls() async throws {
        let test = TestSession { _ in MockResponse(status: 500, body: "no") }
        let session = test.session
        let options: RequestOptions = [ResponseValidation.success]
        let errors = [
            await failure { try await session.get("http://h/", options: options) },
            await failure { _ = try await session.stream("http://h/", options: options) },
            await session.request("http://h/", options: options).serializingData().response.error,
        ]
        for error in errors {
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.responseCode == 500)
            #expect(error?.data == Data("no".utf8))
        }
        try await assertNothingLeft(session)
    }

    @Test func reportsTheHeadOfAStreamOnce() async throws {
        let test = TestSession { _ in MockResponse(body: "ok") }
        func count(_ name: String) -> Int {
            test.monitor.events.filter { "\($0.event)".hasPrefix(name) }.count
        }
        for options in [RequestOptions.none, [ResponseValidation.success]] {
            let before = (responded: count("responded"), finished: count("finished"))
            let response = try await test.session.stream("http://h/", options: options)
            for try await _ in response.body {}
            #expect(await eventually { count("finished") == before.finished + 1 })
            #expect(count("responded") == before.responded + 1)
        }
        try await assertNothingLeft(test.session)
    }

    @Test func isASettingOfTheSessionThatARequestOverrides() async throws {
        let test = TestSession(configuring: { $0.validation = .success }) { _ in
            MockResponse(status: 404, fields: [.contentType: "text/html"], body: "no")
        }
        let session = test.session
        #expect(await failure { try await session.get("http://h/") }?.code == .unacceptableStatus)
        #expect(try await session.get("http://h/", options: [ResponseValidation.off]).statusCode == 404)
        let pages = ResponseValidation(statusCodes: [200, 404], contentTypes: ["text/*"])
        #expect(try await session.get("http://h/", options: [pages]).statusCode == 404)
        let images = ResponseValidation(statusCodes: 200..<500, contentTypes: ["image/*"])
        #expect(
            await failure { try await session.get("http://h/", options: [images]) }?.code == .unacceptableContentType
        )
        try await assertNothingLeft(session)
    }

    @Test func runsBeforeThoseOfTheHandle() async throws {
        let test = TestSession(configuring: { $0.validation = .success }) { _ in MockResponse(status: 500, body: "no") }
        let calls = LockedList<Int>()
        let request = test.session.request("http://h/").validate { _, response in
            calls.append(response.status.code)
            return .success(())
        }
        #expect(await request.serializingData().response.error?.code == .unacceptableStatus)
        #expect(calls.all == [])
        try await assertNothingLeft(test.session)
    }
}
