internal import Dispatch
internal import HTTPTypes
internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DecodedContentTests {
    @Test(arguments: [1, 1000, 16 << 10, 64 << 10, 1 << 20])
    func decodesAStream(size: Int) async throws {
        let content = Coded.text(size == 1 ? 5000 : 1 << 20)
        let source = ScriptedSource(Coded.gzip(content).pieces(of: size))
        #expect(try await decoded(source).read() == content)
        #expect(!source.seen.isCancelled)
    }

    @Test func readsNoChunkAheadOfDemand() async throws {
        let coded = Coded.gzip(Coded.zeros(8 << 20)).pieces(of: 1000)
        let source = ScriptedSource(coded)
        let body = decoded(source, limits: .unlimitedExpansion)
        var iterator = body.makeAsyncIterator()
        #expect(source.seen.reads == 0)
        // A thousand bytes decode to about a million zeros: many pieces without another read.
        for _ in 0..<15 { #expect(try await iterator.next()?.isEmpty == false) }
        #expect(source.seen.reads == 1)
    }

    /// A long chunk is decoded several pieces at a time. The pieces before the damage are valid.
    @Test func deliversValidBytesOfALongChunkBeforeTheFailure() async throws {
        let content = Coded.text(1 << 20)
        let coded = Array(Coded.gzip(content).dropLast(8)) + Coded.zeros(8)
        #expect(coded.count > ContentDecoder.longBytes)
        var iterator = decoded(ScriptedSource([coded])).makeAsyncIterator()
        var bytes: [UInt8] = []
        let error = await #expect(throws: ApusError.self) {
            while let chunk = try await iterator.next() { bytes += chunk.bytes }
        }
        #expect(error?.detail == "the checksum of the gzip data is wrong")
        #expect(bytes == Array(content.prefix(bytes.count)))
        #expect(bytes.count > content.count - Inflater.pieceBytes - 1)
    }

    @Test func readsToTheEndForTrailers() async throws {
        let source = ScriptedSource([Coded.gzip([1, 2, 3])], trailers: [.eTag: "\"swift\""])
        let body = decoded(source)
        #expect(body.trailers == nil)
        #expect(try await body.read() == [1, 2, 3])
        #expect(source.seen.reads == 2)
        #expect(body.trailers == [.eTag: "\"swift\""])
    }

    @Test func rethrowsFailuresOfTheConnection() async throws {
        let failure = ApusError(.connectionClosed, "the wire was cut")
        let content = Coded.text(100_000)
        let source = ScriptedSource([Array(Coded.gzip(content).dropLast(9))], failure: failure)
        var iterator = decoded(source).makeAsyncIterator()
        var count = 0
        let error = await #expect(throws: ApusError.self) {
            while let chunk = try await iterator.next() { count += chunk.count }
        }
        #expect(error?.code == .connectionClosed)
        #expect(count > 90_000)
    }

    @Test func cancelsTheExchangeIfTheContentIsDamaged() async throws {
        let source = ScriptedSource([Array("no gzip".utf8), [1, 2, 3]])
        let error = await #expect(throws: ApusError.self) { try await decoded(source).read() }
        #expect(error?.code == .contentCodingFailed)
        #expect(source.seen.isCancelled)
        #expect(source.seen.reads == 1)
    }

    @Test func repeatsItsFailure() async throws {
        let content = content(ScriptedSource([[1]]))
        for _ in 0..<3 {
            let error = await #expect(throws: ApusError.self) { try await content.next() }
            #expect(error?.code == .contentCodingFailed)
        }
    }

    @Test func cancelsWhenReleased() async throws {
        let source = ScriptedSource(Coded.gzip(Coded.text(1 << 20)).pieces(of: 1000))
        var body: ResponseBody? = decoded(source)
        var iterator = body?.makeAsyncIterator()
        _ = try await iterator?.next()
        #expect(!source.seen.isCancelled)
        iterator = nil
        body = nil
        #expect(source.seen.isCancelled)
        #expect(body == nil && iterator == nil)
    }

    @Test func forwardsCancelAndDiscard() async throws {
        let cancelled = ScriptedSource([[1]])
        content(cancelled).cancel()
        #expect(cancelled.seen.isCancelled)
        let discarded = ScriptedSource([[1]])
        let body = decoded(discarded)
        body.discard()
        #expect(discarded.seen.isDiscarded)
        #expect(discarded.seen.reads == 0)
    }

    @Test func noticesACancelledTaskBetweenReads() async throws {
        let source = ScriptedSource([Coded.gzip(Coded.zeros(8 << 20))])
        let body = decoded(source, limits: .unlimitedExpansion)
        let reader = Task { () -> (Int, ApusError.Code?) in
            var iterator = body.makeAsyncIterator()
            var count = 0
            do throws(ApusError) {
                while let chunk = try await iterator.next() {
                    count += chunk.count
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            } catch {
                return (count, error.code)
            }
            return (count, nil)
        }
        let (count, code) = await reader.value
        #expect(code == .cancelled)
        #expect(count < 1 << 20)
        #expect(source.seen.isCancelled)
    }

    @Test func decodesShortBodiesAtOnce() async throws {
        let small = Coded.text(Inflater.pieceBytes)
        let body = decodedAtOnce(Coded.gzip(small))
        #expect(body.isWhole)
        #expect(try await body.read() == small)
        let large = Coded.text(Inflater.pieceBytes * 5 + 1)
        let stream = decodedAtOnce(Coded.gzip(large))
        #expect(!stream.isWhole && !stream.isEmpty)
        #expect(try await stream.read() == large)
        #expect(decodedAtOnce(Coded.gzip([])).isEmpty)
    }

    @Test func deliversValidBytesOfAWholeBodyBeforeTheFailure() async throws {
        let content = Coded.text(Inflater.pieceBytes * 3)
        let coded = Array(Coded.gzip(content).dropLast())
        let body = decodedAtOnce(coded)
        var iterator = body.makeAsyncIterator()
        var bytes: [UInt8] = []
        let error = await #expect(throws: ApusError.self) {
            while let chunk = try await iterator.next() { bytes += chunk.bytes }
        }
        #expect(error?.code == .contentCodingFailed)
        #expect(bytes == content)
    }

    /// A task that leaves its executor returns to it as another job, which the executor counts.
    @Test(arguments: [(16 << 10, 0), (16 << 10 | 1, 1)])
    func leavesTheExecutorForLongWork(size: Int, returns: Int) async throws {
        let body = decoded(ScriptedSource([Coded.gzip([7], filledUpTo: size)]))
        let executor = CountingExecutor()
        try await withTaskExecutorPreference(executor) { @concurrent () async throws in
            let before = executor.jobCount
            #expect(try await body.read() == [7])
            #expect(executor.jobCount - before == returns)
        }
    }

    private final class CountingExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "counting")
        private let count = Lock(0)

        var jobCount: Int { count.withLock { $0 } }

        func enqueue(_ job: consuming ExecutorJob) {
            count.withLock { $0 += 1 }
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    // MARK: Trailing bytes

    @Test(arguments: [1, 7, 1 << 20])
    func recordsTheNumberOfDroppedBytes(size: Int) async throws {
        let content = Coded.text(100_000)
        let coded = Coded.gzip(content) + Array("\r\n".utf8)
        let stream = try Self.record()
        #expect(try await decoded(ScriptedSource(coded.pieces(of: size)), record: stream).read() == content)
        #expect(stream.metrics.ignoredContentBytes == 2)
        let whole = try Self.record()
        #expect(try await decodedAtOnce(coded, record: whole).read() == content)
        #expect(whole.metrics.ignoredContentBytes == 2)
    }

    @Test func recordsDroppedBytesOfAShortBodyImmediately() async throws {
        let record = try Self.record()
        #expect(decodedAtOnce(Coded.gzip([7]) + [0, 0, 0], record: record).isWhole)
        #expect(record.metrics.ignoredContentBytes == 3)
    }

    @Test func recordsDroppedBytesAfterTheExchangeHasEnded() async throws {
        let record = try Self.record()
        let body = decoded(ScriptedSource([Coded.gzip([7]), [1, 2, 3, 4]]), record: record)
        record.close(at: .now)
        #expect(try await body.read() == [7])
        #expect(record.metrics.ignoredContentBytes == 4)
    }

    /// A received chunk counts as far as it was decoded, also if it expands to many pieces.
    @Test func recordsTheDecodedPartOfAChunk() async throws {
        let record = try Self.record()
        record.noteDecoding(of: nil)
        let coded = Coded.gzip(Coded.text(1 << 20))
        var iterator = decoded(ScriptedSource([coded]), record: record).makeAsyncIterator()
        var counts: [Int64] = []
        while try await iterator.next() != nil { counts.append(record.received(0, of: nil).completed) }
        #expect(counts.count > DecodedContent.piecesAhead)
        #expect(counts == counts.sorted())
        let first = try #require(counts.first)
        #expect(first < Int64(coded.count))
        #expect(record.received(0, of: nil).completed == Int64(coded.count))
    }

    @Test func recordsAllBytesOfAShortBody() async throws {
        for content in [[], [7], Coded.text(Inflater.pieceBytes * 3)] as [[UInt8]] {
            let record = try Self.record()
            let coded = Coded.gzip(content)
            #expect(try await decodedAtOnce(coded, record: record).read() == content)
            #expect(record.received(0, of: nil).completed == Int64(coded.count))
        }
    }

    @Test func recordsZeroIfNothingWasDropped() async throws {
        let record = try Self.record()
        #expect(try await decoded(ScriptedSource([Coded.gzip([7])]), record: record).read() == [7])
        #expect(record.metrics.ignoredContentBytes == 0)
    }

    private func stream(_ source: ScriptedSource) -> BodyStream { BodyStream(source) }

    private static func record() throws -> ExchangeRecord {
        let target = try TargetURI("http://localhost/")
        return ExchangeRecord(method: .get, target: target, cause: .first, begin: .now)
    }

    private func content(
        _ source: ScriptedSource,
        limits: ResponseLimits = ResponseLimits(),
        record: ExchangeRecord? = nil
    ) -> DecodedContent {
        DecodedContent(stream(source), codings: ContentCodings([.gzip]), limits: limits, record: record)
    }

    private func decodedAtOnce(_ coded: [UInt8], record: ExchangeRecord? = nil) -> ResponseBody {
        DecodedContent.decode(
            BodyChunk(coded),
            codings: ContentCodings([.gzip]),
            limits: ResponseLimits(),
            record: record
        )
    }

    private func decoded(
        _ source: ScriptedSource,
        limits: ResponseLimits = ResponseLimits(),
        record: ExchangeRecord? = nil
    ) -> ResponseBody {
        .stream(content(source, limits: limits, record: record))
    }
}

extension ResponseLimits {
    fileprivate static var unlimitedExpansion: ResponseLimits {
        var limits = ResponseLimits()
        limits.expansionRatio = .max
        return limits
    }
}
