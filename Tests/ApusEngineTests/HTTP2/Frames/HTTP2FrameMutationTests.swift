internal import ApusEngine
internal import ApusTestServer
internal import Testing

/// Damaged frames never trap, never hold more than one frame, and give the same result for every division.
@Suite struct HTTP2FrameMutationTests {
    /// Returns the conversation with one to four random faults.
    private func damaged(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = HTTP2TestFrame.conversation
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            guard !bytes.isEmpty else { break }
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0, 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 3: bytes.insert(UInt8.random(in: 0...12, using: &generator), at: index)
            case 4: bytes.remove(at: index)
            case 5:
                let end = min(bytes.count, index + Int.random(in: 1...40, using: &generator))
                let slice = Array(bytes[index..<end])
                bytes.insert(contentsOf: slice, at: Int.random(in: 0...bytes.count, using: &generator))
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }

    private func cuts(_ count: Int, _ generator: inout SeededGenerator) -> [Int] {
        var cuts: [Int] = []
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            cuts.append(Int.random(in: 0...count, using: &generator))
        }
        return cuts.sorted()
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func survivesDamage(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var failures = 0
        for round in 0..<400 {
            let bytes = damaged(&generator)
            var limits = HTTP2Limits()
            if Bool.random(using: &generator) {
                limits.headerBlockBytes = Int.random(in: 0...12, using: &generator)
                limits.continuationFrames = Int.random(in: 0...4, using: &generator)
            }
            let complete = HTTP2FrameTranscript(of: bytes, limits: limits)
            let divided = HTTP2FrameTranscript(of: bytes, cuts: cuts(bytes.count, &generator), limits: limits)
            #expect(divided == complete, "seed \(seed), round \(round)")
            #expect(divided.mostHeld < 16_384 + 9)
            if complete.failure != nil { failures += 1 }
        }
        // Both outcomes are frequent.
        #expect(failures > 50)
        #expect(failures < 390)
    }

    /// Random headers with payloads that are long enough for them.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func survivesRandomFrames(seed: UInt64) {
        var generator = SeededGenerator(seed: 1_000 + seed)
        for round in 0..<300 {
            var bytes = HTTP2TestFrame.settingsFrame()
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let type = UInt8.random(in: 0...10, using: &generator)
                let flags = UInt8.random(in: 0...255, using: &generator)
                let stream = UInt32.random(in: 0...2, using: &generator)
                var payload: [UInt8] = []
                for _ in 0..<Int.random(in: 0...16, using: &generator) {
                    payload.append(UInt8.random(in: 0...12, using: &generator))
                }
                bytes += HTTP2TestFrame.bytes(type, flags: flags, stream: stream, payload)
            }
            let complete = HTTP2FrameTranscript(of: bytes)
            let divided = HTTP2FrameTranscript(of: bytes, cuts: cuts(bytes.count, &generator))
            #expect(divided == complete, "seed \(seed), round \(round)")
            let single = HTTP2FrameTranscript(of: bytes, cuts: Array(1..<bytes.count))
            #expect(single == complete, "seed \(seed), round \(round)")
        }
    }

    @Test func survivesRandomBytes() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            var bytes = HTTP2TestFrame.settingsFrame()
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            }
            let complete = HTTP2FrameTranscript(of: bytes)
            #expect(HTTP2FrameTranscript(of: bytes, cuts: cuts(bytes.count, &generator)) == complete)
        }
    }
}
