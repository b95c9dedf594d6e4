internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

@Suite(.timeLimit(.minutes(5))) struct ResumableUploadPolicyTests {
    private typealias Policy = ResumableUpload.Policy

    private func policy(chance: Double = 1, _ change: (inout Policy) -> Void = { _ in }) -> Policy {
        var policy = Policy(scale: .seconds(1), maximumDelay: .seconds(10))
        policy.chance = { chance }
        change(&policy)
        return policy
    }

    @Test func hasNamedDefaults() {
        let policy = Policy()
        #expect(policy.retryLimit == 5)
        #expect(policy.scale == .milliseconds(500))
        #expect(policy.maximumDelay == .seconds(30))
        #expect(policy.retryAfterCeiling == .seconds(60))
        #expect(policy.beginsAnew == .ifIdempotent)
        #expect(policy.interopVersion == .v6)
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (1000, 10)])
    func doublesThePauseUpToTheMaximum(number: Int, seconds: Int) {
        #expect(policy().delay(before: number, wish: nil) == .seconds(seconds))
        #expect(policy(chance: 0.5).delay(before: number, wish: nil) == Duration.seconds(seconds) / 2)
        #expect(policy(chance: 0).delay(before: number, wish: nil) == .zero)
    }

    @Test func waitsAsLongAsTheServerAsks() {
        #expect(policy().delay(before: 1, wish: .seconds(60)) == .seconds(60))
        #expect(policy().delay(before: 1, wish: .zero) == .seconds(1))
        #expect(policy().delay(before: 1, wish: .milliseconds(60_001)) == nil)
    }

    @Test func knowsWhichUploadsMayBeginAnew() throws {
        let post = try RequestMessage("https://h/", method: .post)
        let put = try RequestMessage("https://h/", method: .put)
        let keyed = try RequestMessage("https://h/", method: .post, fields: ["Idempotency-Key": "k"])
        let rules: [(Policy.Beginning, [Bool])] = [
            (.ifUnsent, [false, false, false]), (.ifIdempotent, [false, true, true]), (.always, [true, true, true]),
        ]
        for (rule, expected) in rules {
            let policy = policy { $0.beginsAnew = rule }
            #expect([post, put, keyed].map { policy.mayBeginAnew($0) } == expected)
        }
    }

    // MARK: Pauses of an upload

    private static let announcement: HTTPFields = [.uploadDraftInteropVersion: "6", .location: "/uploads/1"]

    /// Returns the response of a server whose connection fails after it has announced an upload resource.
    private static func cut() -> MockResponse {
        let failure = ApusError(.connectionClosed, "the server closed the connection")
        var response = MockResponse(status: .ok, chunks: [], failure: failure)
        response.informational = [HTTPResponse(status: .init(code: 104), headerFields: announcement)]
        return response
    }

    @Test func waitsBeforeEachAttempt() async throws {
        let responses = [
            Self.cut(), MockResponse(status: .serviceUnavailable, fields: [.retryAfter: "10"]),
            MockResponse(status: .noContent, fields: [.uploadOffset: "2"]), MockResponse(body: "done"),
        ]
        let count = LockedValue(0)
        let test = TestSession { _ in responses[count.increased(by: 1) - 1] }
        let policy = policy(chance: 0.5) { $0.scale = .seconds(4) }
        let upload = test.session.uploadResumably(.string("12345"), to: "https://h/files", policy: policy)
        async let response = upload.response()
        await test.clock.waitForSleepers(1)
        #expect(test.requestCount == 1)
        test.clock.advance(by: .seconds(2))
        await test.clock.waitForSleepers(1)
        #expect(test.requestCount == 2)
        test.clock.advance(by: .seconds(9))
        #expect(test.requestCount == 2)
        test.clock.advance(by: .seconds(1))
        #expect(try await response.string() == "done")
        #expect(test.transport.requests.map(\.method) == [.post, .head, .head, .patch])
        #expect(try await test.transport.requests[3].body.data() == Data("345".utf8))
    }

    @Test func doesNotWaitLongerThanTheCeiling() async throws {
        let responses = [Self.cut(), MockResponse(status: .serviceUnavailable, fields: [.retryAfter: "61"])]
        let count = LockedValue(0)
        let test = TestSession { _ in responses[count.increased(by: 1) - 1] }
        let policy = policy(chance: 0)
        let upload = test.session.uploadResumably(.string("12345"), to: "https://h/files", policy: policy)
        let error = await failure { try await upload.response() }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.responseCode == 503)
        #expect(upload.state?.resource == "https://h/uploads/1")
    }

    @Test func endsAPauseIfTheUploadIsCancelled() async throws {
        let test = TestSession { _ in Self.cut() }
        let upload = test.session.uploadResumably(.string("12345"), to: "https://h/files", policy: policy())
        async let error = failure { try await upload.response() }
        await test.clock.waitForSleepers(1)
        upload.cancel()
        #expect(await error?.code == .cancelled)
        #expect(test.requestCount == 1)
        #expect(test.clock.sleeperCount == 0)
        #expect(upload.state?.resource == "https://h/uploads/1")
    }

    @Test func failsAfterTooManyAttempts() async throws {
        let test = TestSession { request in
            if request.method == .post { return Self.cut() }
            throw ApusError(.connectFailed, "the network is down")
        }
        let policy = policy(chance: 0) { $0.retryLimit = 3 }
        let upload = test.session.uploadResumably(.string("12345"), to: "https://h/files", policy: policy)
        #expect(await failure { try await upload.response() }?.code == .connectFailed)
        #expect(test.requestCount == 4)
    }
}
