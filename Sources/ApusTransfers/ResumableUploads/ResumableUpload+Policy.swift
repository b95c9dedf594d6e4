internal import ApusCore

extension ResumableUpload {
    /// Decides how often and how fast a resumable upload is resumed.
    ///
    /// An interrupted upload waits, asks the server for the number of bytes that it has, and sends the rest. The pause
    /// is a random time between zero and a maximum, which doubles with each attempt without progress. A `Retry-After`
    /// of the server makes it longer.
    ///
    /// ```swift
    /// let patient = ResumableUpload.Policy(retryLimit: 20, maximumDelay: .seconds(120))
    /// ```
    public struct Policy: Sendable {
        /// The rule for an upload whose server has no part of it to go on with: a server without support for resumable
        /// uploads, one that could not be reached, or one that has lost the upload.
        public enum Beginning: Sendable, Hashable {
            /// The upload begins anew only if the server got no byte of it.
            case ifUnsent
            /// The upload also begins anew if the request may be repeated: its method is idempotent, such as PUT, or it
            /// has an `Idempotency-Key`.
            case ifIdempotent
            /// The upload begins anew, even if the server may get it twice.
            case always
        }

        /// The default `retryLimit`: 5.
        public static let defaultRetryLimit = 5
        /// The default `scale`: 0.5 seconds.
        public static let defaultScale = Duration.milliseconds(500)
        /// The default `maximumDelay`: 30 seconds.
        public static let defaultMaximumDelay = Duration.seconds(30)
        /// The default `retryAfterCeiling`: 60 seconds.
        public static let defaultRetryAfterCeiling = Duration.seconds(60)

        /// The maximum number of retries in a row without progress. Progress means that the server confirms further
        /// bytes. Default: `defaultRetryLimit`.
        public var retryLimit: Int
        /// The maximum pause before the first attempt after progress. Default: `defaultScale`.
        public var scale: Duration
        /// The maximum pause before any attempt. Default: `defaultMaximumDelay`.
        public var maximumDelay: Duration
        /// The maximum pause that a server may ask for. If it asks for more, the upload ends with its response.
        /// Default: `defaultRetryAfterCeiling`.
        public var retryAfterCeiling: Duration
        /// The rule for an upload that the server has no part of. It begins anew at most `retryLimit` times. Default:
        /// `.ifIdempotent`.
        public var beginsAnew: Beginning
        /// The version of the draft that the client announces. A server of another version treats the upload as an
        /// ordinary one. Default: `.v6`.
        public var interopVersion: InteropVersion
        /// A random number from 0 up to, not including, 1. Tests replace it.
        var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }

        /// Creates a policy.
        ///
        /// - Parameters:
        ///   - retryLimit: The maximum number of retries in a row without progress. Default: `defaultRetryLimit`.
        ///   - scale: The maximum pause before the first attempt after progress. Default: `defaultScale`.
        ///   - maximumDelay: The maximum pause before any attempt. Default: `defaultMaximumDelay`.
        ///   - retryAfterCeiling: The maximum pause that a server may ask for. Default: `defaultRetryAfterCeiling`.
        ///   - beginsAnew: The rule for an upload that the server has no part of. Default: `.ifIdempotent`.
        ///   - interopVersion: The version of the draft that the client announces. Default: `.v6`.
        public init(
            retryLimit: Int = Self.defaultRetryLimit,
            scale: Duration = Self.defaultScale,
            maximumDelay: Duration = Self.defaultMaximumDelay,
            retryAfterCeiling: Duration = Self.defaultRetryAfterCeiling,
            beginsAnew: Beginning = .ifIdempotent,
            interopVersion: InteropVersion = .v6
        ) {
            self.retryLimit = retryLimit
            self.scale = scale
            self.maximumDelay = maximumDelay
            self.retryAfterCeiling = retryAfterCeiling
            self.beginsAnew = beginsAnew
            self.interopVersion = interopVersion
        }

        /// Returns the pause before an attempt.
        ///
        /// - Parameters:
        ///   - number: The number of attempts without progress, from 1.
        ///   - wish: The pause that the server asks for, if any.
        /// - Returns: The pause. `nil` if the server asks for more than `retryAfterCeiling`.
        func delay(before number: Int, wish: Duration?) -> Duration? {
            if let wish, wish > retryAfterCeiling { return nil }
            var longest = min(scale, maximumDelay)
            for _ in 1..<max(1, number) where longest < maximumDelay { longest = min(longest * 2, maximumDelay) }
            // `min` guards against rounding up.
            return max(min(longest * chance(), longest), wish ?? .zero)
        }

        /// Whether an upload with this request may begin anew although the server may have got it.
        func mayBeginAnew(_ request: RequestMessage) -> Bool {
            switch beginsAnew {
            case .ifUnsent: false
            case .ifIdempotent: request.isIdempotent
            case .always: true
            }
        }
    }
}
