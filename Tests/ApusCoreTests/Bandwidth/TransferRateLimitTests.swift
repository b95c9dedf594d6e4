internal import Testing

@testable internal import ApusCore

@Suite struct TransferRateLimitTests {
    @Test func isUnlimitedByDefault() {
        #expect(SessionConfiguration().transferRate == .unlimited)
        #expect(TransferRateLimit.unlimited.download == nil)
        #expect(TransferRateLimit.unlimited.upload == nil)
    }

    @Test func limitsEachDirection() {
        let limit = TransferRateLimit(download: 1, upload: Int.max)
        #expect(limit.download == 1)
        #expect(limit.upload == Int.max)
    }

    @Test(arguments: [0, -1, Int.min]) func takesOtherNumbersAsNoLimit(rate: Int) {
        #expect(TransferRateLimit(download: rate, upload: rate) == .unlimited)
    }

    /// Requests with different limits share no exchange.
    @Test func affectsExchanges() {
        let one: RequestOptions = [TransferRateLimit(download: 1)]
        let other: RequestOptions = [TransferRateLimit(download: 2)]
        #expect(one.comparable != other.comparable)
        #expect(one.comparable != nil)
    }
}
