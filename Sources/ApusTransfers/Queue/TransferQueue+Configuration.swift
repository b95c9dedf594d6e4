internal import ApusCore

extension TransferQueue {
    /// The settings of a queue, copied when the queue is created.
    public struct Configuration: Sendable, Hashable {
        /// The maximum number of transfers at a time, at least 1. Default: 4.
        public var concurrentTransfers = 4
        /// Whether `run` waits for further transfers when nothing is left to do. Default: `false`.
        public var keepsRunning = false
        /// The maximum delay of the first retry of a transfer. It doubles with each further failure. Default: 1 s.
        public var retryDelay: Duration = .seconds(1)
        /// The maximum delay of any retry, unless the server asks for more. Default: 5 min.
        public var maximumRetryDelay: Duration = .seconds(300)
        /// The maximum delay that a server may ask for with `Retry-After`. A longer one is cut. Default: 1 h.
        public var retryAfterCeiling: Duration = .seconds(3_600)
        /// The number of finished transfers that the queue keeps at least, until they are removed. Older ones are
        /// forgotten when the log is compacted. Default: 1,000.
        public var keptFinished = 1_000

        /// Creates the default settings.
        public init() {}

        var retryRules: TransferRetryRules {
            TransferRetryRules(
                firstDelay: max(.zero, retryDelay),
                maximumDelay: max(.zero, maximumRetryDelay),
                retryAfterCeiling: max(.zero, retryAfterCeiling)
            )
        }

        /// The longest delay of a retry in milliseconds.
        var longestDelay: Int64 {
            max(.zero, maximumRetryDelay, retryAfterCeiling).wholeNanoseconds / 1_000_000
        }
    }
}
