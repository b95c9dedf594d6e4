internal import Foundation

/// How long a server wants to be left alone: seconds, or the date until which.
///
/// See RFC 9110 §10.2.3, https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3
struct RetryAfter {
    /// From the moment that was given on; zero for a date that has passed.
    let delay: Duration

    /// Reads the value of the field; `nil` where it is neither.
    init?(_ value: String, now: Date) {
        if value.utf8.allSatisfy({ $0 &- 0x30 < 10 }), !value.isEmpty {
            // Whoever says more than fits means: never.
            delay = .seconds(Int64(value).map { min($0, 1 << 40) } ?? 1 << 40)
        } else if let date = HTTPDate.date(value, now: now) {
            delay = .seconds(max(0, date.timeIntervalSince(now)))
        } else {
            return nil
        }
    }
}
