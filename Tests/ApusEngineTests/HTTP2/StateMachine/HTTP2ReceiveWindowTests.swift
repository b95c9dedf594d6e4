internal import ApusTestServer
internal import Testing

@testable internal import ApusEngine

@Suite struct HTTP2ReceiveWindowTests {
    @Test func acceptsAsMuchAsItAnnounced() {
        var window = HTTP2ReceiveWindow(byteCount: 10)
        #expect(window.receive(10) == true)
        #expect(window.receive(1) == false)
        #expect(window.receive(0) == true)
        #expect(window.receive(-1) == false)
        #expect(window.unconsumedBytes == 10)
    }

    @Test func givesBackHalves() {
        var window = HTTP2ReceiveWindow(byteCount: 10)
        #expect(window.receive(10) == true)
        #expect(window.consume(4) == 4)
        #expect(window.takeIncrement() == nil)
        #expect(window.consume(1) == 1)
        #expect(window.takeIncrement() == 5)
        #expect(window.takeIncrement() == nil)
        #expect(window.availableBytes == 5)
        #expect(window.receive(6) == false)
    }

    @Test func givesNoByteBackTwice() {
        var window = HTTP2ReceiveWindow(byteCount: 10)
        #expect(window.receive(6) == true)
        #expect(window.consume(100) == 6)
        #expect(window.consume(1) == 0)
        #expect(window.consume(-1) == 0)
        #expect(window.takeIncrement() == 6)
        #expect(window.availableBytes == 10)
    }

    /// One stream keeps 90 bytes unread. The others still get the remaining 10, again and again.
    @Test func isNotHeldUpByAStreamThatReadsNothing() {
        var window = HTTP2ReceiveWindow(byteCount: 100, isShared: true)
        #expect(window.receive(90) == true)
        for _ in 0..<20 {
            #expect(window.receive(10) == true)
            #expect(window.consume(10) == 10)
            #expect(window.takeIncrement() == 10)
        }
        #expect(window.unconsumedBytes == 90)
    }

    @Test func opensAWindowOfOneByte() {
        for isShared in [false, true] {
            var window = HTTP2ReceiveWindow(byteCount: 1, isShared: isShared)
            for _ in 0..<3 {
                #expect(window.receive(1) == true)
                window.consume(1)
                #expect(window.takeIncrement() == 1)
            }
        }
    }

    /// Receives and consumes whole windows, one for each time.
    private func grow(_ window: inout HTTP2ReceiveWindow, _ times: [UInt64], period: UInt64, limit: Int = 1_000) {
        for time in times {
            let count = window.availableBytes
            #expect(window.receive(count) == true)
            window.consume(count)
            window.noteConsumed(count, at: time, within: period, limit: limit)
            _ = window.takeIncrement()
        }
    }

    @Test func growsIfAWholeWindowIsConsumedWithinThePeriod() {
        var window = HTTP2ReceiveWindow(byteCount: 100)
        grow(&window, [50], period: 10)
        #expect(window.byteCount == 100, "the first window only starts the measurement")
        grow(&window, [60], period: 10)
        #expect(window.byteCount == 100, "exactly the period is too slow")
        #expect(window.grownBytes == 0)
        grow(&window, [69], period: 10)
        #expect(window.byteCount == 200)
        #expect(window.grownBytes == 100)
        #expect(window.availableBytes == 200)
        grow(&window, [70, 71, 72, 73, 74], period: 10, limit: 700)
        #expect(window.byteCount == 700)
        #expect(window.grownBytes == 600)
        #expect(window.availableBytes == 700)
    }

    @Test func doesNotGrowWithoutAPeriodOrWithAClockThatGoesBack() {
        var withoutPeriod = HTTP2ReceiveWindow(byteCount: 100)
        grow(&withoutPeriod, [1, 1, 1], period: 0)
        #expect(withoutPeriod.byteCount == 100)
        var backwards = HTTP2ReceiveWindow(byteCount: 100)
        grow(&backwards, [9, 8, 7], period: 10)
        #expect(backwards.byteCount == 100)
        var limited = HTTP2ReceiveWindow(byteCount: 100)
        grow(&limited, [7, 7, 7], period: .max, limit: 100)
        #expect(limited.byteCount == 100)
    }

    /// The three places of a byte always make up the window.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func keepsTheSum(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var window = HTTP2ReceiveWindow(byteCount: Int.random(in: 1...5_000, using: &random), isShared: seed % 2 == 0)
        let firstByteCount = window.byteCount
        var announced = firstByteCount
        var received = 0
        for step in 0..<2_000 {
            let count = Int.random(in: 0...1_000, using: &random)
            if Bool.random(using: &random) {
                let isAccepted = window.receive(count)
                #expect(isAccepted == (count <= announced - received))
                if isAccepted { received += count }
            } else {
                let counted = window.consume(count)
                window.noteConsumed(counted, at: UInt64(step), within: 50, limit: 20_000)
                announced += window.takeIncrement() ?? 0
            }
            #expect(window.availableBytes == announced - received)
            #expect(window.availableBytes + window.unconsumedBytes + window.owedBytes == window.byteCount)
            #expect(window.byteCount == firstByteCount + window.grownBytes)
        }
    }

    /// A window that has grown in advance is measured from then on.
    @Test func growsInAdvance() {
        var window = HTTP2ReceiveWindow(byteCount: 100)
        window.grow(to: 100, at: 10)
        window.grow(to: 50, at: 10)
        #expect(window == HTTP2ReceiveWindow(byteCount: 100))
        window.grow(to: 400, at: 10)
        let increment = window.takeIncrement()
        #expect(increment == 300)
        #expect(window.byteCount == 400 && window.availableBytes == 400 && window.grownBytes == 300)
        let isReceived = window.receive(400)
        #expect(isReceived)
        window.consume(400)
        window.noteConsumed(400, at: 20, within: 50, limit: 1_000)
        #expect(window.byteCount == 800 && window.grownBytes == 700)
    }
}
