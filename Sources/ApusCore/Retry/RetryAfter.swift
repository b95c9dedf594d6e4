package import Foundation

/// The delay that a server asks for in a `Retry-After` field: a number of seconds, or a date.
///
/// See RFC 9110 §10.2.3, https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3
package struct RetryAfter: Sendable {
    /// The delay from the given time on. Zero for a date in the past.
    package let delay: Duration

    /// Parses the field value. Returns `nil` if it is neither a number nor a date.
    package init?(_ value: String, now: Date) {
        if value.utf8.allSatisfy({ $0 &- 0x30 < 10 }), !value.isEmpty {
            // A number that overflows means: never.
            delay = .seconds(Int64(value).map { min($0, 1 << 40) } ?? 1 << 40)
        } else if let date = HTTPDate.date(value, now: now) {
            delay = .seconds(max(0, date.timeIntervalSince(now)))
        } else {
            return nil
        }
    }
}
