internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// Decides whether and when a failed transfer is retried.
///
/// The delay is that of `Retry-After`, or else grows with each failure: a random time between half and the whole of
/// `firstDelay × 2 ^ (failures − 1)`, at most `maximumDelay`.
struct TransferRetryRules: Sendable {
    /// The codes of failures that may be over at the next attempt.
    static let transientCodes = RetryPolicy.transientCodes.union([.poolTimeout, .deadlineExceeded])

    let firstDelay: Duration
    let maximumDelay: Duration
    let retryAfterCeiling: Duration
    /// A random number from 0 up to, not including, 1. Tests replace it.
    var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }

    /// Returns the delay of the next attempt, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - error: The error of the attempt.
    ///   - failureCount: The number of failures, with this one.
    ///   - transfer: The transfer.
    ///   - isContinued: Whether the next attempt continues an upload. Default: `false`.
    ///   - now: The time of the failure.
    /// - Returns: The delay.
    func delay(
        after error: ApusError,
        failureCount: Int,
        of transfer: Transfer,
        isContinued: Bool = false,
        at now: Date
    ) -> Duration? {
        guard failureCount <= transfer.retryLimit, Self.isTransient(error) else { return nil }
        // A later exchange fails to connect after an earlier one may have had an effect.
        let isUnsent = error.isConnect && error.exchanges.count <= 1
        guard transfer.mayBeginAnew || isContinued || isUnsent else { return nil }
        if let wish = error.response?.headerFields[.retryAfter].flatMap({ RetryAfter($0, now: now) }) {
            return min(wish.delay, retryAfterCeiling)
        }
        var longest = min(firstDelay, maximumDelay)
        // After so many doublings, the maximum is reached.
        for _ in 1..<min(max(failureCount, 1), 64) where longest < maximumDelay {
            longest = min(longest * 2, maximumDelay)
        }
        let half = longest / 2
        return half + min(half * chance(), half)
    }

    private static func isTransient(_ error: ApusError) -> Bool {
        if error.code == .unacceptableStatus, let status = error.responseCode {
            return RetryPolicy.transientStatuses.contains(status)
        }
        return transientCodes.contains(error.code)
    }
}
