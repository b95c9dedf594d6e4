internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct ValidatorTests {
    private struct Fault: Error {}

    private func session(_ status: Int, _ type: String? = nil, body: String = "x") -> TestSession {
        var response = MockResponse(status: .init(code: status), body: body)
        response.fields[.contentType] = type
        return TestSession { [response] _ in response }
    }

    private func code(_ test: TestSession, _ shape: (DataRequest) -> DataRequest) async -> ApusError.Code? {
        let request = shape(test.session.request("http://h/", fields: [.accept: "application/json"]))
        return await request.serializingData().response.error?.code
    }

    /// Parity: AF-validate-none
    @Test func validatesNothingByDefault() async throws {
        #expect(await code(session(500, "text/html")) { $0 } == nil)
        #expect(try await session(500).session.get("http://h/").status == 500)
    }

    /// Parity: AF-validate, AF-validate-type-missing, AF-error-validation
    @Test func validatesStatusThenContentType() async throws {
        #expect(await code(session(200, "application/json")) { $0.validate() } == nil)
        #expect(await code(session(404, "text/html")) { $0.validate() } == .unacceptableStatus)
        #expect(await code(session(200, "text/html")) { $0.validate() } == .unacceptableContentType)
        #expect(await code(session(200)) { $0.validate() } == .missingContentType)
        #expect(await code(session(204, body: "")) { $0.validate() } == nil)
    }

    /// The default `Accept` of a session does not count as the `Accept` of a request.
    /// Parity: AF-validate-accept-missing
    @Test func acceptsAnyTypeWhenTheRequestHasNoAccept() async throws {
        for type in ["text/html", nil] {
            let test = session(200, type)
            let request = test.session.request("http://h/").validate()
            #expect(await request.serializingData().response.error == nil)
        }
        let picky = TestSession {
            $0.fields = [.accept: "application/json"]
        } responding: { _ in
            MockResponse(fields: [.contentType: "text/html"], body: "x")
        }
        #expect(await picky.session.request("http://h/").validate().serializingData().response.error == nil)
        #expect(picky.transport.requests.first?.fields[.accept] == "application/json")
    }

    /// Parity: AF-validate-status, AF-validate-type
    @Test func validatesAgainstCustomLists() async throws {
        #expect(await code(session(404)) { $0.validate(statusCode: [200, 404]) } == nil)
        #expect(await code(session(201)) { $0.validate(statusCode: [200, 404]) } == .unacceptableStatus)
        #expect(await code(session(201)) { $0.validate(statusCode: 200..<201) } == .unacceptableStatus)
        #expect(await code(session(201)) { $0.validate(statusCode: Set([201])) } == nil)
        #expect(
            await code(session(201)) { $0.validate(statusCode: stride(from: 200, to: 300, by: 2)) }
                == .unacceptableStatus
        )
        #expect(await code(session(200, "image/png")) { $0.validate(contentType: ["image/*"]) } == nil)
        #expect(
            await code(session(200, "image/png")) { $0.validate(contentType: ["text/*"]) } == .unacceptableContentType
        )
    }

    /// Parity: AF-validate-order
    @Test func reportsTheFirstRejectionAndSkipsLaterValidators() async throws {
        let calls = LockedList<Int>()
        let later: @Sendable (RequestMessage, HTTPResponse, Data) -> ValidationResult = { _, _, _ in
            calls.append(1)
            return .success(())
        }
        #expect(await code(session(404)) { $0.validate(statusCode: 200..<300).validate(later) } == .unacceptableStatus)
        #expect(
            await code(session(200)) { $0.validate { _, _, _ in .failure(Fault()) }.validate(later) }
                == .validationFailed
        )
        #expect(calls.count == 0)
    }

    /// Parity: AF-validate-custom, AF-error-validation
    @Test func passesTheBodyToCustomValidators() async throws {
        let test = session(200, body: "abc")
        let request = test.session.request("http://h/a").validate { request, head, data in
            request.target.path == "/a" && head.status == .ok && data == Data("abc".utf8)
                ? .failure(Fault()) : .success(())
        }
        let error = await request.serializingData().response.error
        #expect(error?.underlying is Fault)
        #expect(error?.data == Data("abc".utf8))
        #expect(error?.responseCode == 200)
    }

    /// Parity: AF-validate-error-content
    @Test func keepsTheBodyOfARejectedResponse() async throws {
        let test = session(422, "application/json", body: #"{"field":"name"}"#)
        let response = await test.session.request("http://h/").validate().serializingData().response
        #expect(response.error?.decodeData(as: [String: String].self) == ["field": "name"])
        #expect(response.response?.status == 422)
        #expect(response.data == response.error?.data)
        let error = await failure { try await test.session.get("http://h/").validate() }
        #expect(error?.decodeData(as: [String: String].self) == ["field": "name"])
    }

    /// Parity: AF-validate-error-content
    @Test(arguments: [(3, "abc"), (4, "abcd"), (5, "abcd")], [1, 2, 4])
    func truncatesTheBodyOfARejectedResponseAtItsLimit(limit: (Int, String), pieces: Int) async throws {
        let chunks = stride(from: 0, to: 4, by: 4 / pieces).map { BodyChunk(Array("abcd".utf8)[$0..<$0 + 4 / pieces]) }
        let test = TestSession {
            $0.limits.errorBodyBytes = limit.0
        } responding: { _ in
            MockResponse(status: 500, chunks: chunks)
        }
        let error = await test.session.request("http://h/").validate().serializingData().response.error
        #expect(error?.data == Data(limit.1.utf8))
        let custom = test.session.request("http://h/").validate { _, _, _ in .failure(Fault()) }
        #expect(await custom.serializingData().response.error?.data == Data(limit.1.utf8))
        try await assertNothingLeft(test.session)
    }

    /// Returns a session with a manual clock, whose response has status 500 and a body that does not end.
    private func endless(_ body: HeldBody, _ clock: ManualClock) -> Session {
        var configuration = Session.Configuration()
        configuration.time = clock
        return Session(configuration: configuration, transport: BodyTransport(status: 500) { _ in .stream(body) })
    }

    /// Parity: AF-validate-error-content
    @Test(arguments: [false, true], [nil, Duration.seconds(7)])
    func waitsForARejectedBodyUpToItsTimeout(isDownload: Bool, own: Duration?) async throws {
        #expect(Session.Configuration().timeouts.errorBody == .seconds(2))
        let (clock, body) = (ManualClock(), HeldBody(["ab", "cd"], before: 1, Barrier()))
        let session = endless(body, clock)
        let options: RequestOptions = own.map { [RequestTimeouts(errorBody: .after($0))] } ?? RequestOptions()
        let request: any Request =
            isDownload
            ? session.download("http://h/", to: .temporary, options: options)
            : session.request("http://h/", options: options)
        request.validate().resume()
        await clock.waitForSleepers(1)
        clock.advance(by: (own ?? .seconds(2)) - .nanoseconds(1))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .nanoseconds(1))
        try await assertNothingLeft(session)
        #expect(request.error?.code == .unacceptableStatus)
        #expect(request.error?.data == Data("ab".utf8))
        #expect(body.wasCancelled)
    }

    @Test func waitsForTheRejectedBodyOfADirectDownloadUpToItsTimeout() async throws {
        let (clock, body) = (ManualClock(), HeldBody(["ab", "cd"], before: 1, Barrier()))
        let session = endless(body, clock)
        let file = URL.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        let download = Task { await failure { try await session.download("http://h/", to: file) } }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        let error = await download.value
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.data == Data("ab".utf8))
        #expect(body.wasCancelled)
        try await assertNothingLeft(session)
    }

    /// A clock that records each sleep.
    private struct SleepRecordingClock: SessionClock {
        let sleeps = LockedList<MonotonicInstant>()
        private let clock = ManualClock()

        var now: MonotonicInstant { clock.now }
        var wallClock: Date { clock.wallClock }

        func sleep(until deadline: MonotonicInstant) async throws {
            sleeps.append(deadline)
            try await clock.sleep(until: deadline)
        }
    }

    @Test(arguments: [[], ["abcd"], ["ab", "cd"]]) func startsNoTimerForARejectedBodyInMemory(
        chunks: [String]
    ) async throws {
        let time = SleepRecordingClock()
        let test = TestSession {
            $0.time = time
        } responding: { _ in
            MockResponse(status: 500, chunks: chunks.map { BodyChunk($0) })
        }
        let error = await test.session.request("http://h/").validate().serializingData().response.error
        #expect(error?.data == Data(chunks.joined().utf8))
        #expect(time.sleeps.count == (chunks.count > 1 ? 1 : 0))
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [(3, false), (4, true), (5, true)])
    func collectsBodiesUpToTheLimit(limit: Int, fits: Bool) async throws {
        #expect(Session.Configuration().limits.collectedBodyBytes == 256 << 20)
        for chunks in [["abcd"], ["ab", "cd"]] {
            let test = TestSession {
                $0.limits.collectedBodyBytes = limit
            } responding: { _ in
                MockResponse(chunks: chunks.map { BodyChunk($0) })
            }
            let handle = await test.session.request("http://h/").serializingData().response.error
            let direct = await failure { try await test.session.get("http://h/") }
            for error in [handle, direct] {
                #expect(error?.code == (fits ? nil : .bodyTooLarge))
                if !fits { #expect(error?.responseCode == 200) }
            }
            try await assertNothingLeft(test.session)
        }
    }

    /// Parity: AF-validate-no-response
    @Test func callsNoValidatorWithoutAResponse() async throws {
        let calls = LockedList<Int>()
        let test = TestSession { _ in throw ApusError(.connectFailed, "no") }
        let request = test.session.request("http://h/").validate(statusCode: [200]).validate { _, _, _ in
            calls.append(1)
            return .failure(Fault())
        }
        #expect(await request.serializingData().response.error?.code == .connectFailed)
        #expect(calls.count == 0)
    }

    /// Parity: AF-method-connect
    @Test func rejectsCONNECTAndTRACEWithABody() async throws {
        let test = TestSession()
        let tunnel = try RequestMessage("http://h/", method: .connect)
        #expect(await failure { try await test.session.send(tunnel) }?.code == .invalidRequest)
        let trace = try RequestMessage("http://h/", method: .trace, body: .string("x"))
        #expect(await failure { try await test.session.send(trace) }?.code == .invalidRequest)
        #expect(test.transport.requests.isEmpty)
        let bare = try RequestMessage("http://h/", method: .trace)
        #expect(try await test.session.send(bare).status == .ok)
    }

    /// Parity: AF-session-get-content
    @Test(arguments: [HTTPRequest.Method.get, .head]) func rejectsGETAndHEADWithABody(
        method: HTTPRequest.Method
    ) async throws {
        let test = TestSession()
        let request = test.session.request("http://h/", method: method, body: .string("x"))
        #expect(await request.serializingData().response.error?.code == .invalidRequest)
        let message = try RequestMessage("http://h/", method: method, body: .bytes(Data()))
        #expect(await failure { try await test.session.send(message) }?.code == .invalidRequest)
        #expect(test.transport.requests.isEmpty)
    }
}
