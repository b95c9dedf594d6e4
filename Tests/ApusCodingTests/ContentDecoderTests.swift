internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct ContentDecoderTests {
    @Test func undoesTheLastCodingFirst() throws {
        let content = Coded.text(200_000)
        let coded = Coded.gzip(Coded.raw(Coded.gzip(content)))
        for size in [100, 16 << 10, coded.count] {
            #expect(try decode(coded.pieces(of: size), [.gzip, .deflate, .gzip]).content == content)
        }
        #expect(try decode(Coded.zlib(Coded.gzip(content)).pieces(of: 5000), [.gzip, .deflate]).content == content)
        #expect(throws: ApusError.self) { try decode([Coded.zlib(Coded.gzip(content))], [.deflate, .gzip]) }
    }

    @Test func decodesEmptyInputWithAnyCodings() throws {
        #expect(try decode([], [.gzip]).content == [])
        #expect(try decode([], [.gzip, .deflate, .gzip]).content == [])
        #expect(try decode([Coded.gzip([])], [.gzip, .gzip]).content == [])
    }

    @Test func rejectsATruncatedInnerContent() {
        let inner = Coded.gzip(Coded.text(1000))
        for count in 1..<inner.count {
            let error = #expect(throws: ApusError.self) {
                try decode([Coded.gzip(Array(inner.prefix(count)))], [.gzip, .gzip])
            }
            #expect(error?.code == .contentCodingFailed)
        }
    }

    /// Up to 1 MiB may be decoded from any input. One byte more requires a ratio of at most 256.
    @Test(arguments: [(-1, true), (0, true), (1, false)])
    func limitsExpansionAboveTheFloor(excess: Int, passes: Bool) throws {
        let content = Coded.zeros((1 << 20) + excess)
        let outcome = Result { try decode([Coded.gzip(content)], [.gzip]).content.count }
        #expect((try? outcome.get()) == (passes ? content.count : nil))
    }

    @Test(arguments: [(8193, true), (8192, true), (8191, false)])
    func limitsTheRatio(size: Int, passes: Bool) throws {
        let content = Coded.zeros(256 * 8192)
        let coded = Coded.gzip(content, filledUpTo: size)
        #expect(coded.count == size)
        if passes {
            #expect(try decode([coded], [.gzip]).content.count == content.count)
        } else {
            let error = #expect(throws: ApusError.self) { try decode([coded], [.gzip]) }
            #expect(error?.code == .expansionLimit)
            #expect(error?.phase == .decode)
            for part in [
                "8191 received bytes", "more than 256 times", "1048576", "limits.expansionRatio",
                "limits.expansionFloorBytes",
            ] {
                #expect(error?.description.contains(part) == true)
            }
        }
    }

    @Test func respectsRaisedLimits() throws {
        var limits = ResponseLimits()
        limits.expansionRatio = .max
        #expect(try decode([Coded.gzip(Coded.zeros(4 << 20))], [.gzip], limits).content.count == 4 << 20)
        limits = ResponseLimits()
        limits.expansionFloorBytes = 4 << 20
        #expect(try decode([Coded.gzip(Coded.zeros(4 << 20))], [.gzip], limits).content.count == 4 << 20)
    }

    @Test(arguments: [16 << 10, 256 << 10])
    func stopsABomb(size: Int) throws {
        let bomb = Coded.bomb(mebibytes: 1024)
        #expect(bomb.count < 2 << 20)
        let outcome = try #require(throws: ExpansionFailure.self) {
            try decodeLazily(bomb.pieces(of: size), [.gzip])
        }
        #expect(outcome.error.code == .expansionLimit)
        // The first chunk alone exceeds the limit, so no further chunk is read.
        #expect(outcome.fed == size)
        #expect(outcome.produced <= 256 * size)
        #expect(outcome.produced > 256 * size - Inflater.pieceBytes)
    }

    @Test func stopsABombWithinABomb() throws {
        let bomb = Coded.gzip(Coded.bomb(mebibytes: 1024))
        let outcome = try #require(throws: ExpansionFailure.self) {
            try decodeLazily(bomb.pieces(of: 1000), [.gzip, .gzip])
        }
        #expect(outcome.error.code == .expansionLimit)
        #expect(outcome.produced <= max(1 << 20, 256 * outcome.fed))
    }

    /// Empty blocks inflate to nothing. Only the outer coding reveals the expansion.
    @Test func limitsTheExpansionOfInnerCodings() throws {
        var idle: [UInt8] = []
        for _ in 0..<(8 << 20) / 5 { idle += [0, 0, 0, 0xFF, 0xFF] }
        let coded = Coded.gzip(idle)
        let outcome = try #require(throws: ExpansionFailure.self) {
            try decodeLazily([coded], [.deflate, .gzip])
        }
        #expect(outcome.error.code == .expansionLimit)
        #expect(outcome.produced == 0)
    }

    // MARK: Trailing bytes

    @Test func dropsBytesAfterEachCoding() throws {
        let rest = Array("\r\n".utf8)
        let inner = Coded.gzip(Coded.text(1000)) + rest
        let coded = Coded.gzip(inner) + rest
        for size in [1, 100, coded.count] {
            var decoder = ContentDecoder(ContentCodings([.gzip, .gzip]), limits: ResponseLimits())
            #expect(try content(of: &decoder, coded.pieces(of: size)) == Coded.text(1000))
            #expect(decoder.ignoredCount == 4)
        }
    }

    @Test func rejectsTrailingBytesIfParsingIsStrict() {
        var limits = ResponseLimits()
        limits.parsing = .strict
        let error = #expect(throws: ApusError.self) {
            try decode([Coded.gzip([7]) + Array("\r\n".utf8)], [.gzip], limits)
        }
        #expect(error?.code == .contentCodingFailed)
        #expect(error?.detail == "unexpected bytes follow the gzip data")
    }

    @Test(arguments: [(99, true), (100, true), (101, false)], [1, 7, 200])
    func limitsTheNumberOfDroppedBytes(bound: (count: Int, passes: Bool), size: Int) {
        var limits = ResponseLimits()
        limits.collectedBodyBytes = 100
        let pieces = [Coded.gzip([7])] + Array(repeating: UInt8(1), count: bound.count).pieces(of: size)
        let outcome = Result { () throws(ApusError) in try decode(pieces, [.gzip], limits).content }
        if bound.passes {
            #expect(throws: Never.self) { try outcome.get() }
        } else {
            #expect(throws: ApusError.self) { try outcome.get() }
            guard case .failure(let error) = outcome else { return }
            #expect(error.code == .bodyTooLarge)
            #expect(error.hint?.contains("limits.collectedBodyBytes") == true)
        }
    }

    private func content(of decoder: inout ContentDecoder, _ pieces: [[UInt8]]) throws(ApusError) -> [UInt8] {
        var rest = pieces[...]
        var content: [UInt8] = []
        while true {
            switch try decoder.next() {
            case .chunk(let piece): content += piece.bytes
            case .needsInput:
                if let piece = rest.popFirst() { decoder.feed(BodyChunk(piece)) } else { decoder.finish() }
            case .ended: return content
            }
        }
    }

    /// After one full piece, the same input may yield hundreds more.
    @Test func isLongAfterAFullPiece() throws {
        var decoder = ContentDecoder(ContentCodings([.gzip]), limits: ResponseLimits())
        #expect(!decoder.isLong)
        decoder.feed(BodyChunk(Coded.gzip(Coded.zeros(200 << 10))))
        var produced = 0
        while case .chunk(let piece) = try decoder.next() {
            produced += piece.count
            #expect(decoder.isLong == (64 << 10..<200 << 10).contains(produced))
        }
        #expect(produced == 200 << 10)
    }

    @Test func isLongForALargeChunkOrSeveralCodings() {
        for (size, codings, isLong) in [
            (16 << 10, [.gzip], false), (16 << 10 | 1, [.gzip], true), (100, [.gzip, .gzip], true),
        ] as [(Int, [ContentCodings.Coding], Bool)] {
            var decoder = ContentDecoder(ContentCodings(codings), limits: ResponseLimits())
            #expect(!decoder.isLong)
            decoder.feed(BodyChunk(Coded.gzip([7], filledUpTo: size)))
            #expect(decoder.isLong == isLong)
        }
    }

    private struct ExpansionFailure: Error {
        let error: ApusError
        let fed: Int
        let produced: Int
    }

    private func decode(
        _ pieces: [[UInt8]],
        _ codings: [ContentCodings.Coding],
        _ limits: ResponseLimits = ResponseLimits()
    ) throws(ApusError) -> (content: [UInt8], fed: Int) {
        var decoder = ContentDecoder(ContentCodings(codings), limits: limits)
        var rest = pieces[...]
        var content: [UInt8] = []
        while true {
            switch try decoder.next() {
            case .chunk(let piece): content += piece.bytes
            case .needsInput:
                if let piece = rest.popFirst() { decoder.feed(BodyChunk(piece)) } else { decoder.finish() }
            case .ended: return (content, pieces.count - rest.count)
            }
        }
    }

    /// Decodes and discards the pieces. Throws the number of bytes read and decoded if decoding fails.
    private func decodeLazily(_ pieces: [[UInt8]], _ codings: [ContentCodings.Coding]) throws(ExpansionFailure) {
        var decoder = ContentDecoder(ContentCodings(codings), limits: ResponseLimits())
        var fed = 0
        var produced = 0
        do throws(ApusError) {
            for piece in pieces {
                decoder.feed(BodyChunk(piece))
                fed += piece.count
                while case .chunk(let piece) = try decoder.next() { produced += piece.count }
            }
        } catch {
            throw ExpansionFailure(error: error, fed: fed, produced: produced)
        }
    }
}
