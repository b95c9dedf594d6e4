internal import ApusTestServer
internal import Foundation

/// Generates nearly valid documents, the same ones for the same seed.
struct Mutator {
    private var random: SeededGenerator
    private let originals: [[UInt8]]
    private let tokens: [[UInt8]]

    /// Creates a mutator of valid `originals`. `tokens` are fragments that have a meaning in such documents.
    init(seed: UInt64, originals: [Data], tokens: [String]) {
        random = SeededGenerator(seed: seed)
        self.originals = originals.map { [UInt8]($0) }
        self.tokens = tokens.map { Array($0.utf8) } + [[0], [0xFF], [0x80], [0xED, 0xA0, 0x80]]
    }

    mutating func next() -> Data {
        guard var bytes = originals.randomElement(using: &random) else { return Data() }
        for _ in 0..<Int.random(in: 1...5, using: &random) { change(&bytes) }
        return Data(bytes)
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let offset = Int.random(in: 0...bytes.count, using: &random)
        let length = min(Int.random(in: 1...8, using: &random), bytes.count - offset)
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where offset < bytes.count: bytes[offset] = UInt8.random(in: 0...255, using: &random)
        case 1 where offset < bytes.count: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.removeSubrange(offset..<offset + length)
        case 3: bytes.insert(contentsOf: bytes[offset..<offset + length], at: offset)
        default: bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: offset)
        }
    }
}
