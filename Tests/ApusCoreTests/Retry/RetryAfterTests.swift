internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        ("0", Duration.zero), ("120", .seconds(120)), ("Sun, 06 Nov 1994 08:50:07 GMT", .seconds(30)),
        ("Sunday, 06-Nov-94 08:50:07 GMT", .seconds(30)), ("Sun Nov  6 08:50:07 1994", .seconds(30)),
        ("Sun, 06 Nov 1994 08:00:00 GMT", .zero), ("99999999999999999999", .seconds(1 << 40)),
    ])
    func readsSecondsAndDates(_ text: String, _ delay: Duration) {
        #expect(RetryAfter(text, now: now)?.delay == delay)
    }

    @Test(arguments: ["", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:50:07 CET", "１２", "+3", "3, 4"])
    func rejectsMalformedValues(_ text: String) {
        #expect(RetryAfter(text, now: now) == nil)
    }
}
