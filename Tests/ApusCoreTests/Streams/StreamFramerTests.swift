internal import ApusTestServer
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct StreamFramerTests {
    /// Returns the text of each piece.
    private func pieces(_ kind: StreamFramer.Kind, _ chunks: [[UInt8]]) -> [String] {
        var framer = StreamFramer(kind)
        var pieces: [StreamPiece] = []
        for chunk in chunks { pieces += framer.add(BodyChunk(chunk)).pieces }
        pieces += framer.finish().pieces
        return pieces.map { String($0.bytes) }
    }

    @Test func passesOnChunksAsTheyAre() {
        #expect(pieces(.chunks, [[0x61], [0xE2], [0x82, 0xAC]]) == ["a", "\u{FFFD}", "\u{FFFD}\u{FFFD}"])
        #expect(pieces(.chunks, []).isEmpty)
    }

    @Test(arguments: ["é", "€", "𝄞", "a€", "€𝄞"]) func holdsBackTheBeginningOfACharacter(text: String) {
        let bytes = Array(text.utf8)
        for cut in bytes.indices.dropFirst() {
            let chunks = [Array(bytes[..<cut]), Array(bytes[cut...])]
            let texts = pieces(.characters, chunks)
            #expect(texts.joined() == text)
            #expect(!texts.contains { $0.contains("\u{FFFD}") })
        }
        #expect(pieces(.characters, bytes.map { [$0] }).joined() == text)
    }

    /// The text is the same as that of the whole body, however it is split, also if it is not UTF-8.
    @Test(arguments: 0..<UInt64(200)) func decodesAnyBytesAsAWhole(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let interesting: [UInt8] = [
            0x61, 0x7F, 0x80, 0x82, 0x8F, 0x90, 0x9F, 0xA0, 0xAC, 0xBF, 0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF1,
            0xF4, 0xF5, 0xFF,
        ]
        var (bytes, chunks): ([UInt8], [[UInt8]]) = ([], [])
        for _ in 0..<20 {
            let count = Int.random(in: 1...4, using: &generator)
            let chunk = (0..<count).map { _ in interesting[Int.random(in: interesting.indices, using: &generator)] }
            chunks.append(chunk)
            bytes += chunk
        }
        #expect(pieces(.characters, chunks).joined() == String(decoding: bytes, as: UTF8.self))
    }

    @Test func numbersTheLinesWithContent() {
        var framer = StreamFramer(.lines(limitBytes: 4))
        let first = framer.add(BodyChunk("a\n\n \t\nb"))
        #expect(first.pieces.map(\.lineNumber) == [1])
        let second = framer.add(BodyChunk("c\r\nd"))
        #expect(second.pieces.map { String($0.bytes) } == ["bc"])
        #expect(second.pieces.map(\.lineNumber) == [4])
        #expect(framer.finish().pieces.map(\.lineNumber) == [5])
    }

    @Test func keepsTheLinesBeforeOneThatIsTooLong() {
        var framer = StreamFramer(.lines(limitBytes: 4))
        let batch = framer.add(BodyChunk("abcd\nabcde\nf\n"))
        #expect(batch.pieces.map { String($0.bytes) } == ["abcd"])
        #expect(batch.fault?.code == .bodyTooLarge)
    }
}
