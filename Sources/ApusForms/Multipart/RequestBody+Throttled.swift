public import ApusCore

extension RequestBody {
    /// How much `throttled` hands on at once, where nothing else is said: 16 KiB.
    public static let suggestedPacketSize = 16 << 10

    /// How long `throttled` waits between two packets, where nothing else is said: 0.2 s.
    public static let suggestedPacketDelay = Duration.milliseconds(200)

    /// The same content, in small packets with pauses between them: for a connection that has to carry something else as
    /// well, or counts its bytes.
    ///
    /// ```swift
    /// let slow = RequestBody.string("not in a hurry").throttled(packetSize: 4096, delay: .milliseconds(50))
    /// ```
    ///
    /// Length, and whether it can be sent again, stay what they are.
    ///
    /// - Parameters:
    ///   - packetSize: The most bytes that are handed on at once; `suggestedPacketSize` by default, and one at the least.
    ///   - delay: The least time from one packet to the next; `suggestedPacketDelay` by default.
    ///   - time: The clock; the machine's by default.
    /// - Returns: The content.
    public func throttled(
        packetSize: Int = Self.suggestedPacketSize,
        delay: Duration = Self.suggestedPacketDelay,
        time: any RequestTime = SystemTime()
    ) -> RequestBody {
        guard !isNone else { return self }
        let packets = ThrottledChunks(body: self, packetSize: max(packetSize, 1), delay: delay, time: time)
        if isReadOnce { return .once(length: length, packets) }
        return .replayable(length: length, pieces: { [self] in pieces }) { packets }
    }
}

/// A content in packets, one at a time.
private struct ThrottledChunks: AsyncSequence, Sendable {
    typealias Element = BodyChunk

    let body: RequestBody
    let packetSize: Int
    let delay: Duration
    let time: any RequestTime

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

        /// Makes sure that there is something to hand on; `false` at the end.
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
