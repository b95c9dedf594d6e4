public import ApusCore

extension RequestBody {
    /// The default packet size of `throttled`: 16 KiB.
    public static let suggestedPacketSize = 16 << 10

    /// The default delay between two packets of `throttled`: 0.2 s.
    public static let suggestedPacketDelay = Duration.milliseconds(200)

    /// Returns the same body in small packets with pauses, for a connection that is shared with other traffic or
    /// metered.
    ///
    /// ```swift
    /// let slow = RequestBody.string("not in a hurry").throttled(packetSize: 4096, delay: .milliseconds(50))
    /// ```
    ///
    /// Its length, its trailers, and whether it can be resent, do not change.
    ///
    /// - Parameters:
    ///   - packetSize: The maximum size of a packet in bytes, at least 1. Default: `suggestedPacketSize`.
    ///   - delay: The minimum time between two packets. Default: `suggestedPacketDelay`.
    ///   - time: The clock. Default: the system's clock.
    /// - Returns: The throttled body.
    public func throttled(
        packetSize: Int = Self.suggestedPacketSize,
        delay: Duration = Self.suggestedPacketDelay,
        time: any SessionClock = SystemClock()
    ) -> RequestBody {
        guard !isNone else { return self }
        let packets = ThrottledChunks(body: self, packetSize: max(packetSize, 1), delay: delay, time: time)
        if isReadOnce { return .once(length: length, packets).with(trailerMaker) }
        return .replayable(length: length, pieces: { [self] in pieces }) { packets }.with(trailerMaker)
    }
}

/// A body in packets, one at a time.
private struct ThrottledChunks: AsyncSequence, Sendable {
    typealias Element = BodyChunk

    let body: RequestBody
    let packetSize: Int
    let delay: Duration
    let time: any SessionClock

    func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let source: ThrottledChunks
        private var reader: BodyReader?
        private var rest = BodyChunk([])
        private var nextPacket: MonotonicInstant?

        init(source: ThrottledChunks) {
            self.source = source
        }

        mutating func next() async throws -> BodyChunk? {
            guard try await fill() else { return nil }
            let packet = rest.prefix(source.packetSize)
            if let nextPacket, nextPacket > source.time.now { try await source.time.sleep(until: nextPacket) }
            rest = rest.dropFirst(packet.count)
            nextPacket = source.time.now.advanced(by: source.delay)
            return packet
        }

        /// Ensures that there are bytes to return. Returns `false` at the end.
        private mutating func fill() async throws -> Bool {
            let reader = if let reader { reader } else { try await source.body.open() }
            self.reader = reader
            while rest.isEmpty {
                guard let chunk = try await reader.next() else { return false }
                rest = chunk
            }
            return true
        }
    }
}
