internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

@Suite struct DeflaterTests {
    /// Incompressible bytes.
    static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 7
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    static let contents: [[UInt8]] = [
        [], [7], Coded.text(1000), Coded.text(300_000), Coded.zeros(2 << 20), noise(64 << 10), noise(150_000),
    ]

    @Test(arguments: contents.indices, [Deflater.Format.gzip, .zlib])
    func compressesBytesThatTheInflaterDecodes(index: Int, format: Deflater.Format) throws {
        let content = Self.contents[index]
        for size in [1 << 30, 100_000, 1013] {
            let pieces = try deflate(content.pieces(of: size), format)
            #expect(pieces.allSatisfy { !$0.isEmpty })
            #expect(pieces.dropLast().allSatisfy { $0.count == Deflater.pieceBytes })
            #expect((pieces.last?.count ?? 0) <= Deflater.pieceBytes)
            #expect(try inflate(pieces, format == .gzip ? .gzip : .zlib) == content)
        }
        let whole = try Deflater.deflate(BodyChunk(content), format, level: 6)
        #expect(try inflate([whole], format == .gzip ? .gzip : .zlib) == content)
    }

    /// Parity: AF-deflate
    @Test func writesTheHeaderOfItsFormat() throws {
        let gzip = try Deflater.deflate(BodyChunk("x"), .gzip, level: 6).bytes
        #expect(gzip.prefix(3) == [0x1F, 0x8B, 8])
        // No name and no time, so the same content always has the same coding.
        #expect(gzip[3...7].allSatisfy { $0 == 0 })
        let zlib = try Deflater.deflate(BodyChunk("x"), .zlib, level: 6).bytes
        #expect(zlib[0] == 0x78)
        #expect((Int(zlib[0]) << 8 | Int(zlib[1])).isMultiple(of: 31))
    }

    @Test func compressesBetterAtHigherLevels() throws {
        let content = Coded.text(200_000)
        let sizes = try (0...9).map { try Deflater.deflate(BodyChunk(content), .gzip, level: $0).count }
        #expect(sizes[0] > content.count)
        #expect(sizes[1] < content.count)
        #expect(sizes[9] <= sizes[6] && sizes[6] < sizes[1])
        for level in 0...9 {
            let coded = try Deflater.deflate(BodyChunk(content), .zlib, level: level)
            #expect(try inflate([coded], .zlib) == content)
        }
    }

    @Test func rejectsInvalidLevels() {
        for level in [-2, 10] {
            #expect(throws: ApusError.self) { try Deflater(.gzip, level: level) }
        }
    }

    @Test func needsInputUntilTheContentIsFinished() throws {
        let deflater = try Deflater(.gzip, level: 6)
        #expect(try deflater.next().isNeedsInput)
        deflater.feed(BodyChunk(""))
        #expect(try deflater.next().isNeedsInput)
        deflater.feed(BodyChunk("Apus "))
        #expect(try deflater.next().isNeedsInput)
        deflater.feed(BodyChunk("apus"))
        deflater.finish()
        guard case .chunk(let piece) = try deflater.next() else {
            Issue.record("there is no piece")
            return
        }
        #expect(try inflate([piece], .gzip) == Array("Apus apus".utf8))
        for _ in 0..<3 {
            guard case .ended = try deflater.next() else {
                Issue.record("it goes on")
                return
            }
        }
    }

    /// Highly compressible input is not processed in one call.
    @Test func pausesAfterEachStepOfInput() throws {
        let deflater = try Deflater(.gzip, level: 6)
        deflater.feed(BodyChunk(Coded.zeros(10 * Deflater.stepBytes)))
        deflater.finish()
        var steps = 0
        while case .unfinished = try deflater.next() { steps += 1 }
        #expect(steps == 9)
    }

    private func deflate(_ chunks: [[UInt8]], _ format: Deflater.Format) throws -> [BodyChunk] {
        let deflater = try Deflater(format, level: 6)
        var rest = chunks[...]
        var pieces: [BodyChunk] = []
        while true {
            switch try deflater.next() {
            case .chunk(let piece): pieces.append(piece)
            case .unfinished: break
            case .needsInput:
                if let chunk = rest.popFirst() { deflater.feed(BodyChunk(chunk)) } else { deflater.finish() }
            case .ended: return pieces
            }
        }
    }

    private func inflate(_ pieces: [BodyChunk], _ format: Inflater.Format) throws -> [UInt8] {
        try ApusCodingTests.inflate(pieces.map(\.bytes), format)
    }
}

extension Deflater.Step {
    fileprivate var isNeedsInput: Bool {
        if case .needsInput = self { true } else { false }
    }
}
