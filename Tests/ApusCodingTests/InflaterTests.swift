internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

@Suite struct InflaterTests {
    /// Compressed by Python's `gzip` and `zlib`. The gzip member has a file name and a time.
    private static let sentence = Array("Apus apus, the common swift.\n".utf8)
    private static let gzipSentence: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x08, 0x00, 0xF1, 0x53, 0x65, 0x02, 0xFF, 0x73, 0x77, 0x69, 0x66, 0x74, 0x2E,
        0x74, 0x78, 0x74, 0x00, 0x73, 0x2C, 0x28, 0x2D, 0x56, 0x48, 0x04, 0x12, 0x3A, 0x0A, 0x25, 0x19,
        0xA9, 0x0A, 0xC9, 0xF9, 0xB9, 0xB9, 0xF9, 0x79, 0x0A, 0xC5, 0xE5, 0x99, 0x69, 0x25, 0x7A, 0x5C,
        0x00, 0x00, 0x28, 0x59, 0x2D, 0x1D, 0x00, 0x00, 0x00,
    ]
    private static let zlibSentence: [UInt8] = [
        0x78, 0x9C, 0x73, 0x2C, 0x28, 0x2D, 0x56, 0x48, 0x04, 0x12, 0x3A, 0x0A, 0x25, 0x19, 0xA9, 0x0A,
        0xC9, 0xF9, 0xB9, 0xB9, 0xF9, 0x79, 0x0A, 0xC5, 0xE5, 0x99, 0x69, 0x25, 0x7A, 0x5C, 0x00, 0x9B,
        0xF6, 0x0A, 0x2E,
    ]
    private static let dictionarySentence: [UInt8] = [
        0x78, 0xBB, 0x52, 0x58, 0x07, 0xA9, 0x73, 0xC4, 0x26, 0xA8, 0x50, 0x5C, 0x9E, 0x99, 0x56, 0xA2,
        0xC7, 0x05, 0x00, 0x9B, 0xF6, 0x0A, 0x2E,
    ]
    private static let rawSentence = Array(zlibSentence.dropFirst(2).dropLast(4))

    static let codings: [(Inflater.Format, [UInt8])] = [
        (.gzip, gzipSentence), (.zlib, zlibSentence), (.raw, rawSentence), (.deflate, zlibSentence),
        (.deflate, rawSentence),
    ]

    @Test(arguments: codings)
    func decodesTheOutputOfPython(format: Inflater.Format, coded: [UInt8]) throws {
        #expect(try inflate([coded], format) == Self.sentence)
    }

    @Test(arguments: codings)
    func decodesInputSplitAnywhere(format: Inflater.Format, coded: [UInt8]) throws {
        for index in 0...coded.count {
            #expect(try inflate([Array(coded[..<index]), Array(coded[index...])], format) == Self.sentence)
        }
        #expect(try inflate(coded.pieces(of: 1), format) == Self.sentence)
    }

    @Test(arguments: codings)
    func rejectsTruncatedInput(format: Inflater.Format, coded: [UInt8]) throws {
        for count in 1..<coded.count {
            let error = #expect(throws: ApusError.self) { try inflate([Array(coded[..<count])], format) }
            #expect(error?.code == .contentCodingFailed)
            #expect(error?.detail.contains("data is incomplete") == true)
        }
    }

    @Test(arguments: [Inflater.Format.gzip, .zlib, .raw, .deflate])
    func decodesEmptyInput(format: Inflater.Format) throws {
        #expect(try inflate([], format) == [])
        #expect(try inflate([[]], format) == [])
    }

    @Test(arguments: [Coded.text(1 << 20), Coded.zeros(1 << 20), [], [7]])
    func decodesTheOutputOfZlib(content: [UInt8]) throws {
        for size in [1000, 16 << 10, 8 << 20] {
            #expect(try inflate(Coded.gzip(content).pieces(of: size), .gzip) == content)
            #expect(try inflate(Coded.zlib(content).pieces(of: size), .zlib) == content)
            #expect(try inflate(Coded.raw(content).pieces(of: size), .raw) == content)
            #expect(try inflate(Coded.zlib(content).pieces(of: size), .deflate) == content)
            #expect(try inflate(Coded.raw(content).pieces(of: size), .deflate) == content)
        }
    }

    @Test func decodesContentThatFillsPiecesToTheByte() throws {
        for count in [Inflater.pieceBytes - 1, Inflater.pieceBytes, Inflater.pieceBytes + 1, 2 * Inflater.pieceBytes] {
            let content = Coded.zeros(count)
            #expect(try inflate([Coded.gzip(content)], .gzip) == content)
        }
    }

    @Test func limitsTheSizeOfPieces() throws {
        let inflater = Inflater(.gzip)
        inflater.feed(BodyChunk(Coded.gzip(Coded.zeros(1 << 20))))
        inflater.finish()
        var total = 0
        while case .chunk(let piece) = try inflater.next() {
            #expect(0 < piece.count && piece.count <= Inflater.pieceBytes)
            total += piece.count
        }
        #expect(total == 1 << 20)
    }

    @Test func decodesConcatenatedMembers() throws {
        let coded = Coded.gzip(Coded.text(3000)) + Coded.gzip([]) + Self.gzipSentence
        let content = Coded.text(3000) + Self.sentence
        for size in [1, 7, coded.count] {
            #expect(try inflate(coded.pieces(of: size), .gzip) == content)
        }
    }

    @Test func rejectsATruncatedSecondMember() {
        for count in 1..<Self.gzipSentence.count {
            let error = #expect(throws: ApusError.self) {
                try inflate([Self.gzipSentence + Self.gzipSentence.prefix(count)], .gzip)
            }
            #expect(error?.detail.contains("data is incomplete") == true)
        }
    }

    @Test(arguments: codings)
    func ignoresZerosAtTheEnd(format: Inflater.Format, coded: [UInt8]) throws {
        let padded = coded + Coded.zeros(500)
        for size in [1, 100, padded.count] {
            #expect(try inflate(padded.pieces(of: size), format) == Self.sentence)
        }
    }

    @Test(arguments: codings)
    func rejectsTrailingBytes(format: Inflater.Format, coded: [UInt8]) {
        for rest in [[1], [0, 0, 7], Array("garbage".utf8), Coded.zeros(9) + Self.gzipSentence] {
            for size in [1, coded.count, coded.count + rest.count] {
                let error = #expect(throws: ApusError.self) { try inflate((coded + rest).pieces(of: size), format) }
                #expect(error?.code == .contentCodingFailed)
                #expect(error?.detail.contains("unexpected bytes follow") == true)
            }
        }
    }

    // MARK: Trailing bytes

    private static let rests: [[UInt8]] = [
        [1], [0x0D, 0x0A], [0, 0, 7], Array("garbage".utf8), Coded.zeros(500), Coded.zeros(9) + gzipSentence,
        [0x1F, 0x8A], [0x1F, 0x1F, 0x8B], [0x8B, 0x1F], [0x1F, 0, 0x1F, 0x8B], [0x0A] + gzipSentence,
    ]

    @Test(arguments: rests)
    func dropsBytesThatBeginNoOtherMember(rest: [UInt8]) throws {
        for coded in [Self.gzipSentence, Self.gzipSentence + Self.gzipSentence] {
            let bytes = coded + rest
            for size in [1, coded.count, coded.count + 1, bytes.count] {
                let inflater = Inflater(.gzip, ignoresRest: true)
                let content = try inflate(bytes.pieces(of: size), .gzip, by: inflater)
                #expect(content.count == Self.sentence.count * coded.count / Self.gzipSentence.count)
                #expect(inflater.ignoredCount == rest.count)
            }
        }
    }

    @Test(arguments: rests)
    func dropsTrailingBytesSplitAnywhere(rest: [UInt8]) throws {
        let bytes = Self.gzipSentence + rest
        for cut in 0...bytes.count {
            let inflater = Inflater(.gzip, ignoresRest: true)
            let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])].filter { !$0.isEmpty }
            #expect(try inflate(pieces, .gzip, by: inflater) == Self.sentence)
            #expect(inflater.ignoredCount == rest.count)
        }
    }

    @Test func decodesFurtherMembersIfTheRestIsIgnored() throws {
        let coded = Coded.gzip(Coded.text(3000)) + Coded.gzip([]) + Self.gzipSentence
        for size in [1, 7, coded.count] {
            let inflater = Inflater(.gzip, ignoresRest: true)
            let content = try inflate(coded.pieces(of: size), .gzip, by: inflater)
            #expect(content == Coded.text(3000) + Self.sentence)
            #expect(inflater.ignoredCount == 0)
        }
    }

    @Test func rejectsATruncatedMemberEvenIfTheRestIsIgnored() {
        for count in 1..<Self.gzipSentence.count {
            for first in [[], Self.gzipSentence] {
                let bytes = first + Self.gzipSentence.prefix(count)
                for size in [1, bytes.count] {
                    let error = #expect(throws: ApusError.self) {
                        try inflate(bytes.pieces(of: size), .gzip, by: Inflater(.gzip, ignoresRest: true))
                    }
                    #expect(error?.detail.contains("data is incomplete") == true)
                }
            }
        }
    }

    @Test func rejectsADamagedSecondMemberEvenIfTheRestIsIgnored() {
        var second = Self.gzipSentence
        second[second.count - 5] ^= 1
        for bytes in [Self.gzipSentence + second, Self.gzipSentence + [0x1F, 0x8B, 0, 0, 0, 0, 0, 0, 0, 0, 0]] {
            #expect(throws: ApusError.self) {
                try inflate([bytes], .gzip, by: Inflater(.gzip, ignoresRest: true))
            }
        }
    }

    @Test(arguments: [Inflater.Format.zlib, .raw, .deflate])
    func rejectsTrailingBytesAfterOtherFormats(format: Inflater.Format) throws {
        let coded = format == .raw ? Self.rawSentence : Self.zlibSentence
        #expect(try inflate([coded + [0, 0]], format, by: Inflater(format, ignoresRest: true)) == Self.sentence)
        #expect(throws: ApusError.self) {
            try inflate([coded + [1]], format, by: Inflater(format, ignoresRest: true))
        }
    }

    @Test func namesTheWrongChecksumOrLength() {
        let count = Self.gzipSentence.count
        for index in count - 8..<count {
            var coded = Self.gzipSentence
            coded[index] ^= 0x10
            let error = #expect(throws: ApusError.self) { try inflate([coded], .gzip) }
            let expected = index < count - 4 ? "the checksum of the gzip data is wrong" : "the length at the end"
            #expect(error?.detail.contains(expected) == true)
        }
        var coded = Self.zlibSentence
        coded[coded.count - 1] ^= 1
        let error = #expect(throws: ApusError.self) { try inflate([coded], .deflate) }
        #expect(error?.detail == "the checksum of the zlib data is wrong")
    }

    @Test func describesInputThatIsNotGzip() {
        let error = #expect(throws: ApusError.self) { try inflate([Array("<!doctype html>".utf8)], .gzip) }
        #expect(error?.detail == "the data does not begin with a gzip header")
        let dictionary = #expect(throws: ApusError.self) { try inflate([Self.dictionarySentence], .deflate) }
        #expect(dictionary?.detail.contains("dictionary") == true)
    }

    @Test(arguments: [Inflater.Format.gzip, .zlib])
    func neverDecodesDamagedInputToOtherContent(format: Inflater.Format) {
        let coded = format == .gzip ? Self.gzipSentence : Self.zlibSentence
        for index in coded.indices {
            for bit in 0..<8 {
                var damaged = coded
                damaged[index] ^= 1 << UInt8(bit)
                let content = try? inflate([damaged], format)
                // Damage to some fields of a gzip header, such as the time and the system, is harmless.
                #expect(content == nil || content == Self.sentence)
            }
        }
    }

    @Test func survivesNoise() {
        var seed: UInt64 = 42
        for format in [Inflater.Format.gzip, .zlib, .raw, .deflate] {
            for count in 0..<500 {
                let noise = (0..<count).map { _ in
                    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(truncatingIfNeeded: seed >> 33)
                }
                do throws(ApusError) {
                    _ = try inflate(noise.pieces(of: 17), format)
                } catch {
                    #expect(error.code == .contentCodingFailed)
                }
            }
        }
    }
}
