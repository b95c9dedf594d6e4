internal import ApusTestServer
internal import Foundation

/// Makes documents that are nearly right, always the same ones.
struct Mutator {
    private var random: SeededGenerator
    private let originals: [[UInt8]]
    private let tokens: [[UInt8]]

    /// Begins with `originals`, which are right; `tokens` are pieces that mean something where such documents are read.
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
        let place = Int.random(in: 0...bytes.count, using: &random)
        let length = min(Int.random(in: 1...8, using: &random), bytes.count - place)
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.removeSubrange(place..<place + length)
        case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
        default: bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: place)
        }
    }
}
