internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

@Suite struct HTTP2FloodGuardTests {
    typealias Kind = HTTP2FloodGuard.Kind

    private static let limits = HTTP2Limits(
        settingsFrames: 100,
        pingFrames: 101,
        emptyFrames: 102,
        resets: 103,
        windowUpdates: 104
    )

    /// Takes tokens of a kind until there are none. Returns their number.
    private func drain(_ flood: inout HTTP2FloodGuard, _ kind: Kind) -> Int {
        var count = 0
        while count < 100_000 {
            do throws(HTTP2ConnectionError) {
                try flood.take(kind)
            } catch {
                return count
            }
            count += 1
        }
        return count
    }

    @Test(
        arguments: [
            (.settings, 100, "settingsFrames"), (.ping, 101, "pingFrames"), (.empty, 102, "emptyFrames"),
            (.reset, 103, "resets"), (.windowUpdate, 104, "windowUpdates"),
        ] as [(HTTP2FloodGuard.Kind, Int, String)]
    )
    func allowsExactlyTheLimit(kind: HTTP2FloodGuard.Kind, limit: Int, name: String) throws {
        var flood = HTTP2FloodGuard(limits: Self.limits)
        #expect(flood.tokens(kind) == limit)
        for _ in 0..<limit { try flood.take(kind) }
        #expect(flood.tokens(kind) == 0)
        var error: HTTP2ConnectionError?
        do throws(HTTP2ConnectionError) {
            try flood.take(kind)
        } catch let failure {
            error = failure
        }
        #expect(error?.code == .enhanceYourCalm)
        #expect(error?.limit == name)
        #expect(error?.reason.contains("limit of \(limit),") == true)
        // The other kinds have their own tokens.
        for other in Kind.allCases where other != kind { #expect(flood.tokens(other) >= 100) }
    }

    @Test func hasTheDefaultLimits() {
        let flood = HTTP2FloodGuard(limits: HTTP2Limits())
        #expect(flood.tokens(.settings) == 100)
        #expect(flood.tokens(.ping) == 1_000)
        #expect(flood.tokens(.empty) == 1_000)
        #expect(flood.tokens(.reset) == 1_000)
        #expect(flood.tokens(.windowUpdate) == 10_000)
    }

    @Test(
        arguments: [
            (.settings([]), .settings), (.ping(1), .ping), (.reset(stream: 1, .cancel), .reset),
            (.windowUpdate(stream: 0, increment: 5), .windowUpdate),
            (.windowUpdate(stream: 3, increment: 0), .windowUpdate), (.priority(stream: 1), .empty),
            (.settingsAcknowledged, .empty), (.pingAcknowledged(1), .empty), (.unknown, .empty),
            (.data(stream: 1, ByteBuffer(), flowControlled: 0, endStream: false), .empty),
            (.data(stream: 1, ByteBuffer(), flowControlled: 9, endStream: false), .empty),
        ] as [(HTTP2Frame, HTTP2FloodGuard.Kind)]
    )
    func chargesFrames(frame: HTTP2Frame, kind: HTTP2FloodGuard.Kind) throws {
        var flood = HTTP2FloodGuard(limits: Self.limits)
        let tokens = flood.tokens(kind)
        try flood.charge(frame)
        #expect(flood.tokens(kind) == tokens - 1)
        for other in Kind.allCases where other != kind {
            #expect(flood.tokens(other) == HTTP2FloodGuard(limits: Self.limits).tokens(other))
        }
    }

    @Test func doesNotChargeUsefulFrames() throws {
        let none = HTTP2Limits(settingsFrames: 0, pingFrames: 0, emptyFrames: 0, resets: 0, windowUpdates: 0)
        var flood = HTTP2FloodGuard(limits: none)
        let frames: [HTTP2Frame] = [
            .data(stream: 1, ByteBuffer(bytes: [1]), flowControlled: 1, endStream: false),
            .data(stream: 1, ByteBuffer(), flowControlled: 0, endStream: true),
            .headers(stream: 1, block: ByteBuffer(), endStream: false),
            .pushPromise(stream: 1, promised: 2),
            .goAway(lastStream: 0, .noError, debug: ""),
        ]
        for frame in frames { try flood.charge(frame) }
        for kind in Kind.allCases { #expect(drain(&flood, kind) == 0) }
    }

    @Test func returnsTokensForStreamsAndSentData() {
        var flood = HTTP2FloodGuard(limits: Self.limits)
        #expect(drain(&flood, .ping) == 101)
        #expect(drain(&flood, .reset) == 103)
        flood.noteOpenedStream()
        #expect(drain(&flood, .ping) == 16)
        #expect(drain(&flood, .reset) == 16)
        flood.noteSentData(0)
        #expect(drain(&flood, .ping) == 4)
        flood.noteSentData(255)
        #expect(drain(&flood, .ping) == 4)
        // 255 bytes are left from before.
        flood.noteSentData(1)
        #expect(drain(&flood, .ping) == 5)
        flood.noteSentData(16_384)
        #expect(drain(&flood, .ping) == 68)
    }

    @Test func returnsTokensForUsefulBytes() {
        var flood = HTTP2FloodGuard(limits: Self.limits)
        #expect(drain(&flood, .empty) == 102)
        for _ in 0..<255 { flood.noteUsefulBytes(1) }
        #expect(drain(&flood, .empty) == 0)
        flood.noteUsefulBytes(1)
        #expect(drain(&flood, .empty) == 1)
        flood.noteUsefulBytes(2_559)
        #expect(drain(&flood, .empty) == 9)
        flood.noteUsefulBytes(1)
        #expect(drain(&flood, .empty) == 1)
        flood.noteUsefulBytes(-5)
        #expect(drain(&flood, .empty) == 0)
    }

    @Test func neverExceedsTheLimit() {
        var flood = HTTP2FloodGuard(limits: Self.limits)
        flood.noteOpenedStream()
        flood.noteUsefulBytes(.max)
        flood.noteSentData(.max)
        flood.noteTime(at: 0)
        flood.noteTime(at: .max)
        #expect(drain(&flood, .settings) == 100)
        flood.noteUsefulBytes(.max)
        flood.noteUsefulBytes(.max)
        #expect(drain(&flood, .settings) == 100)
        #expect(drain(&flood, .windowUpdate) == 104)
    }

    @Test func returnsTokensForTime() {
        var flood = HTTP2FloodGuard(limits: Self.limits)
        #expect(drain(&flood, .ping) == 101)
        // The first time is only the reference.
        flood.noteTime(at: 5_000_000_000)
        #expect(drain(&flood, .ping) == 0)
        flood.noteTime(at: 5_099_999_999)
        #expect(drain(&flood, .ping) == 0)
        flood.noteTime(at: 5_100_000_000)
        #expect(drain(&flood, .ping) == 1)
        flood.noteTime(at: 5_350_000_000)
        #expect(drain(&flood, .ping) == 2)
        // 50 ms are left from before.
        flood.noteTime(at: 5_400_000_000)
        #expect(drain(&flood, .ping) == 1)
        flood.noteTime(at: 1)
        #expect(drain(&flood, .ping) == 0)
        flood.noteTime(at: 5_500_000_000)
        #expect(drain(&flood, .ping) == 1)
        flood.noteTime(at: .max)
        #expect(drain(&flood, .ping) == 101)
    }

    /// A connection without other traffic survives any number of PING frames, if they are slow enough.
    @Test func allowsSlowPingsForever() throws {
        var flood = HTTP2FloodGuard(limits: Self.limits)
        var now: UInt64 = 0
        for _ in 0..<10_000 {
            flood.noteTime(at: now)
            try flood.take(.ping)
            now += 100_000_000
        }
    }

    @Test func survivesLimitsBelowZero() {
        var flood = HTTP2FloodGuard(limits: HTTP2Limits(pingFrames: -1))
        #expect(flood.tokens(.ping) == 0)
        #expect(drain(&flood, .ping) == 0)
        flood.noteOpenedStream()
        #expect(drain(&flood, .ping) == 0)
    }
}
