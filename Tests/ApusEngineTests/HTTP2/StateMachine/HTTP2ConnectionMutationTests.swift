internal import ApusTestServer
internal import Testing

@testable internal import ApusEngine

/// No bytes of a server trap, with any calls of the client between them. Each stream ends exactly once, and the windows
/// add up. The stage checks the order of the events.
@Suite struct HTTP2ConnectionMutationTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func survivesDamagedConversations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for script in HTTP2ConnectionScript.all + HTTP2ConnectionScript.fatal {
            for _ in 0..<6 { try run(Array(script.mutated(using: &random).prefix(2_000)), &random) }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func survivesRandomFrames(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 1_000)
        for _ in 0..<40 {
            var bytes: [UInt8] = HTTP2Peer.settings()
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                bytes += HTTP2ConnectionScript.frame(using: &random)
            }
            try run(bytes, &random)
        }
    }

    private func run(_ bytes: [UInt8], _ random: inout SeededGenerator) throws {
        let limits = HTTP2Limits(
            streamWindowBytes: Bool.random(using: &random) ? 4 : 1 << 20,
            connectionWindowBytes: 65_535
        )
        var stage = try HTTP2ConnectionScript.client(limits: limits)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...200, using: &random)
            stage.receive(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            try act(&stage, &random)
            check(stage)
        }
        stage.close()
        #expect(stage.machine.streamCount == 0)
        #expect(stage.machine.freeSlots == 0)
        #expect(stage.machine.grownBytes == 0)
    }

    /// Makes a random call of a client that does not know which streams are gone.
    private func act(_ stage: inout HTTP2ConnectionStage, _ random: inout SeededGenerator) throws {
        let stream = Int32.random(in: 0...14, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            if stage.machine.freeSlots > 0 { try stage.open() }
        case 1:
            let endStream = Bool.random(using: &random)
            stage.send(Int.random(in: 0...70_000, using: &random), of: stream, endStream: endStream)
        case 2: stage.consumed(Int.random(in: -1...10, using: &random), of: stream)
        case 3:
            if stage.opened.contains(stream), Int.random(in: 0..<3, using: &random) == 0 { stage.cancel(stream) }
        case 4: try stage.endRequest(of: stream)
        case 5: stage.machine.ping(UInt64(stream))
        case 6:
            if Int.random(in: 0..<10, using: &random) == 0 { stage.machine.shutDown() }
        default: stage.now += 1_000_000
        }
    }

    private func check(_ stage: HTTP2ConnectionStage) {
        let machine = stage.machine
        let window = machine.receiveWindow
        #expect(window.availableBytes + window.unconsumedBytes + window.owedBytes == window.byteCount)
        #expect(window.unconsumedBytes == 0)
        let grownBytes = machine.streams.reduce(0) { (sum: Int, stream: HTTP2StreamState) -> Int in
            sum + stream.receiveWindow.grownBytes
        }
        #expect(machine.grownBytes == grownBytes)
        guard !machine.isClosed else { return }
        for stream in machine.streams {
            let part = stream.receiveWindow
            #expect(part.availableBytes + part.unconsumedBytes + part.owedBytes == part.byteCount)
        }
        let waiting = machine.streams.filter { (stream: HTTP2StreamState) -> Bool in stream.waitsForWindow }
        #expect(machine.waitingStreams == waiting.count)
        #expect(machine.sendWindow.availableBytes >= 0)
        #expect(machine.sendWindow.availableBytes <= HTTP2FlowWindow.maximumBytes)
        #expect(machine.lateBytes >= 0)
    }
}
