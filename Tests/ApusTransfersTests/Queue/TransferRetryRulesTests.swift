internal import ApusCore
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

@Suite struct TransferRetryRulesTests {
    private var rules = TransferQueue.Configuration().retryRules
    private let now = Date(timeIntervalSince1970: 1_000)

    init() {
        rules.chance = { 0 }
    }

    private func delay(after error: ApusError, failureCount: Int = 1, retryLimit: Int = 100) throws -> Duration? {
        let transfer = try Transfer("http://h.example/", to: URL(filePath: "/tmp/a"), retryLimit: retryLimit)
        return rules.delay(after: error, failureCount: failureCount, of: transfer, at: now)
    }

    private func refusal(_ status: Int, retryAfter: String? = nil) -> ApusError {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.retryAfter] = retryAfter
        return ApusError(.unacceptableStatus, "no").with(response: response)
    }

    @Test func growsUpToTheMaximum() throws {
        let error = ApusError(.connectFailed, "no route")
        let delays = try [1, 2, 3, 4, 9, 10, 11, 64, 100].compactMap { try delay(after: error, failureCount: $0) }
        let expected = [0.5, 1, 2, 4, 128, 150, 150, 150, 150].map { Duration.seconds($0) }
        #expect(delays == expected)
    }

    @Test func isAtMostTheWholeDelay() throws {
        var rules = rules
        rules.chance = { 0.999_999 }
        let transfer = try Transfer("http://h.example/", to: URL(filePath: "/tmp/a"))
        let error = ApusError(.readTimeout, "silence")
        let delay = try #require(rules.delay(after: error, failureCount: 2, of: transfer, at: now))
        #expect(delay > .milliseconds(1_999) && delay <= .seconds(2))
    }

    @Test func endsWithTheRetryLimit() throws {
        let error = ApusError(.connectionClosed, "gone")
        #expect(try delay(after: error, failureCount: 2, retryLimit: 2) != nil)
        #expect(try delay(after: error, failureCount: 3, retryLimit: 2) == nil)
        #expect(try delay(after: error, failureCount: 1, retryLimit: 0) == nil)
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504]) func retriesTransientStatuses(status: Int) throws {
        #expect(try delay(after: refusal(status)) != nil)
    }

    @Test(arguments: [304, 400, 401, 404, 410, 416, 501]) func doesNotRetryOtherStatuses(status: Int) throws {
        #expect(try delay(after: refusal(status)) == nil)
    }

    @Test(
        arguments: [
            .fileUnwritable, .fileExists, .fileInUse, .certificateRejected, .invalidURL, .cancelled, .validationFailed,
            .addressRefused,
        ] as [ApusError.Code]
    )
    func doesNotRetryOtherFailures(code: ApusError.Code) throws {
        #expect(try delay(after: ApusError(code, "no")) == nil)
    }

    @Test(arguments: [.poolTimeout, .deadlineExceeded, .hostNotFound, .streamReset] as [ApusError.Code])
    func retriesFailuresOfTheNetwork(code: ApusError.Code) throws {
        #expect(try delay(after: ApusError(code, "no")) != nil)
    }

    @Test func waitsAsTheServerAsks() throws {
        #expect(try delay(after: refusal(503, retryAfter: "7")) == .seconds(7))
        #expect(try delay(after: refusal(503, retryAfter: "0")) == .zero)
        #expect(try delay(after: refusal(503, retryAfter: "3600")) == .seconds(3_600))
        #expect(try delay(after: refusal(503, retryAfter: "3601")) == .seconds(3_600))
        #expect(try delay(after: refusal(503, retryAfter: "soon")) == .milliseconds(500))
        #expect(try delay(after: refusal(404, retryAfter: "7")) == nil)
    }

    /// A request that must not be repeated is retried only if the server got no byte of it, or if it is continued.
    @Test(arguments: [
        ("POST", ApusError.Code.connectionClosed, false, false), ("POST", .readTimeout, false, false),
        ("POST", .connectFailed, false, true), ("POST", .poolTimeout, false, true),
        ("POST", .connectionClosed, true, true), ("PUT", .connectionClosed, false, true),
        ("POST", .fileChanged, true, false),
    ])
    func repeatsNoUploadThatMayHaveArrived(
        method: String,
        code: ApusError.Code,
        isContinued: Bool,
        isRetried: Bool
    ) throws {
        let transfer = try RecordSamples.upload("a", method: method)
        let delay = rules.delay(
            after: ApusError(code, "no"),
            failureCount: 1,
            of: transfer,
            isContinued: isContinued,
            at: now
        )
        #expect((delay != nil) == isRetried)
        let refused = rules.delay(after: refusal(503), failureCount: 1, of: transfer, at: now)
        #expect((refused != nil) == (method == "PUT"))
    }

    @Test func acceptsAnySetting() throws {
        var configuration = TransferQueue.Configuration()
        configuration.retryDelay = .seconds(-1)
        configuration.maximumRetryDelay = .seconds(-1)
        configuration.retryAfterCeiling = .seconds(-1)
        let transfer = try Transfer("http://h.example/", to: URL(filePath: "/tmp/a"))
        let error = ApusError(.connectFailed, "no route")
        #expect(configuration.retryRules.delay(after: error, failureCount: 3, of: transfer, at: now) == .zero)
        #expect(configuration.longestDelay == 0)
        configuration.maximumRetryDelay = .seconds(Int64.max)
        #expect(configuration.longestDelay > 0)
    }
}
