internal import Apus
internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusParameters

@Suite(.timeLimit(.minutes(5))) struct RequestBodyThrottledTests {
    private let clock = ManualClock()

    private func throttled(_ body: RequestBody, packetSize: Int = 3, delay: Duration = .seconds(1)) -> RequestBody {
        body.throttled(packetSize: packetSize, delay: delay, time: clock)
    }

    /// Reads the packets of a body, each with its time since the beginning.
    private func packets(of body: RequestBody) -> Task<[String], any Error> {
        let clock = clock
        return Task {
            let begin = clock.now
            let reader = try await body.open()
            var packets: [String] = []
            while let chunk = try await reader.next() {
                packets.append("\(String(chunk)) \(begin.duration(to: clock.now).formatted)")
            }
            return packets
        }
    }

    private func advance(times: Int) async {
        for _ in 0..<times {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
        }
    }

    /// Parity: AFN-multipart-throttle
    @Test func sendsPacketsWithDelays() async throws {
        let scratch = try TemporaryFolder()
        let file = try RequestBody.file(scratch.write(Data("0123456".utf8), to: "file"))
        let bodies: [RequestBody] = [
            .string("0123456"), file, .replayable { chunks(["0123456"]) }, .once(chunks(["0123456"])),
        ]
        for body in bodies {
            let packets = packets(of: throttled(body))
            await advance(times: 2)
            #expect(try await packets.value == ["012 0 µs", "345 1 s", "6 2 s"])
            #expect(clock.sleeperCount == 0)
        }
    }

    @Test func doesNotCombineChunks() async throws {
        let packets = packets(of: throttled(.replayable { chunks(["ab", "", "cdef", "g"]) }))
        await advance(times: 3)
        #expect(try await packets.value == ["ab 0 µs", "cde 1 s", "f 2 s", "g 3 s"])
    }

    @Test func doesNotWaitIfTheReaderIsSlower() async throws {
        let reader = try await throttled(.string("0123456")).open()
        _ = try await reader.next()
        clock.advance(by: .seconds(2))
        #expect(try await reader.next() == BodyChunk("345"))
    }

    @Test(arguments: [Duration.zero, .seconds(-1)]) func doesNotWaitWithoutADelay(delay: Duration) async throws {
        let body = throttled(.string("0123456"), packetSize: 0, delay: delay)
        #expect(try await body.read == Data("0123456".utf8))
    }

    @Test func keepsTheKindOfBody() async throws {
        #expect(throttled(.none).isNone)
        let bodies: [(RequestBody, Int64?)] = [
            (.string("0123"), 4), (.string(""), 0), (.replayable { chunks([]) }, nil),
            (.once(length: 2, chunks([])), 2),
        ]
        for (body, length) in bodies {
            #expect(throttled(body).length == length)
            #expect(throttled(body).isReplayable)
        }
        let once = throttled(.once(chunks(["a"])))
        #expect(try await once.read == Data("a".utf8))
        #expect(!once.isReplayable)
        let throttledBody = throttled(.replayable { chunks(["a"]) })
        for _ in 0..<2 { #expect(try await throttledBody.read == Data("a".utf8)) }
    }

    @Test func keepsTrailers() async throws {
        for body in [RequestBody.string("0123"), .once(chunks(["0123"]))] {
            let slow = throttled(body.withTrailers { ["X-A": "b"] }, delay: .zero)
            #expect(try await slow.read == Data("0123".utf8))
            #expect(try await slow.trailers()?.map(\.value) == ["b"])
        }
    }

    @Test func stopsWaitingWhenCancelled() async throws {
        let packets = packets(of: throttled(.string("0123456")))
        await clock.waitForSleepers(1)
        packets.cancel()
        await #expect(throws: CancellationError.self) { try await packets.value }
    }

    /// Parity: AFN-multipart-throttle-numbers
    @Test func suggestsNumbersForASlowNetwork() {
        #expect(RequestBody.suggestedPacketSize == 16_384)
        #expect(RequestBody.suggestedPacketDelay == .milliseconds(200))
    }

    @Test func throttlesAFormAsWell() async throws {
        var form = try MultipartFormData(boundary: "b")
        form.append("x", withName: "y")
        let body = try throttled(form.makeBody(), packetSize: 1000)
        #expect(body.length == form.contentLength)
        #expect(try await body.read == form.encode())
    }
}
