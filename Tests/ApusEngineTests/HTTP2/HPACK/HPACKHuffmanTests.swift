internal import Testing

@testable internal import ApusEngine

@Suite struct HPACKHuffmanTests {
    private static func decoded(_ octets: [UInt8]) -> [UInt8]? {
        var target = [UInt8](repeating: 0, count: HPACKHuffman.decodingRoom(for: octets.count))
        let count = octets.withUnsafeBytes { (source: UnsafeRawBufferPointer) -> Int? in
            target.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) -> Int? in
                HPACKHuffman.shared.decode(source, into: target)
            }
        }
        guard let count else { return nil }
        return Array(target.prefix(count))
    }

    private static func encoded(_ octets: [UInt8]) -> [UInt8] {
        octets.withUnsafeBytes { (source: UnsafeRawBufferPointer) -> [UInt8] in
            var target = [UInt8](repeating: 0, count: HPACKHuffman.shared.codedCount(of: source))
            target.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) -> Void in
                HPACKHuffman.shared.encode(source, into: target)
            }
            return target
        }
    }

    /// The lengths define the codes, so this test compares both with the RFC.
    @Test func hasTheCodesOfTheRFC() {
        let huffman = HPACKHuffman.shared
        #expect(huffman.lengths.count == 257)
        #expect(huffman.codes == HPACKHuffmanCodes.all)
    }

    @Test func isComplete() {
        // The sum of Kraft's inequality, in units of the longest code.
        let sum = HPACKHuffman.shared.lengths.reduce(0) { (sum: Int, length: UInt8) -> Int in
            sum + (1 << (30 - Int(length)))
        }
        #expect(sum == 1 << 30)
        #expect(HPACKHuffman.shared.lengths.min() == 5)
        #expect(HPACKHuffman.shared.lengths[HPACKHuffman.endOfString] == 30)
        #expect(HPACKHuffman.shared.codes[HPACKHuffman.endOfString] == 0x3FFF_FFFF)
    }

    @Test func isFreeOfPrefixes() {
        let huffman = HPACKHuffman.shared
        // Each code aligned to the left covers a range. Sorted, each begins where the one before it ends.
        var ranges: [Range<Int>] = []
        for symbol in huffman.codes.indices {
            let shift = 30 - Int(huffman.lengths[symbol])
            let start = Int(huffman.codes[symbol]) << shift
            ranges.append(start..<start + (1 << shift))
        }
        ranges.sort { (left: Range<Int>, right: Range<Int>) -> Bool in left.lowerBound < right.lowerBound }
        var end = 0
        for range in ranges {
            #expect(range.lowerBound == end)
            end = range.upperBound
        }
        #expect(end == 1 << 30)
    }

    @Test func codesEachOctet() {
        for octet in UInt8.min...UInt8.max {
            for count in 1...9 {
                let text = [UInt8](repeating: octet, count: count)
                #expect(Self.decoded(Self.encoded(text)) == text)
            }
        }
        let all = Array(UInt8.min...UInt8.max)
        #expect(Self.decoded(Self.encoded(all)) == all)
        #expect(Self.encoded([]) == [])
        #expect(Self.decoded([]) == [])
    }

    @Test func codesGeneratedStrings() {
        var generator = HPACKGenerator(seed: 7541)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<60, using: &generator)
            let text = generator.octets(count: count)
            #expect(Self.decoded(Self.encoded(text)) == text)
        }
    }

    /// No two codes stand for the same string.
    @Test func acceptsOnlyItsOwnCode() {
        var accepted = 0
        var different = 0
        for number in 0..<65_536 {
            let octets = [UInt8(number >> 8), UInt8(number & 0xFF)]
            guard let text = Self.decoded(octets) else { continue }
            accepted += 1
            if Self.encoded(text) != octets { different += 1 }
        }
        #expect(accepted == 14_717)
        #expect(different == 0)
        var generator = HPACKGenerator(seed: 54)
        for _ in 0..<20_000 {
            let count = Int.random(in: 3..<12, using: &generator)
            let octets = generator.octets(count: count)
            guard let text = Self.decoded(octets) else { continue }
            if Self.encoded(text) != octets { different += 1 }
        }
        #expect(different == 0)
    }

    @Test func rejectsPadding() {
        // `a` is 00011, which leaves three bits.
        #expect(Self.decoded([0x1F]) == [0x61])
        for octet: UInt8 in [0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E] { #expect(Self.decoded([octet]) == nil) }
        #expect(Self.decoded([0x1F, 0xFF]) == nil)
        #expect(Self.decoded([0xFF]) == nil)
        #expect(Self.decoded([0xFF, 0xFF]) == nil)
        #expect(Self.decoded([0xFF, 0xFF, 0xFF]) == nil)
        // `X` is 11111100, without padding.
        #expect(Self.decoded([0xFC]) == [0x58])
        #expect(Self.decoded([0xFC, 0xFF]) == nil)
        // The octet 199 has 25 bits, which leaves seven.
        #expect(Self.encoded([199]) == [0xFF, 0xFF, 0xF6, 0x7F])
        #expect(Self.decoded([0xFF, 0xFF, 0xF6, 0x7F]) == [199])
        #expect(Self.decoded([0xFF, 0xFF, 0xF6, 0x7F, 0xFF]) == nil)
        #expect(Self.decoded([0xFF, 0xFF, 0xF6, 0x7E]) == nil)
    }

    @Test func rejectsEndOfString() {
        #expect(Self.decoded([0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(Self.decoded([0xFF, 0xFF, 0xFF, 0xFC]) == nil)
        // `a`, EOS, `a`.
        #expect(Self.decoded([0x1F, 0xFF, 0xFF, 0xFF, 0xE3]) == nil)
        #expect(Self.decoded([UInt8](repeating: 0xFF, count: 60)) == nil)
    }

    @Test func decodesNothingWithoutRoom() {
        var target: [UInt8] = [0]
        let octets: [UInt8] = [0x1F]
        let count = octets.withUnsafeBytes { (source: UnsafeRawBufferPointer) -> Int? in
            target.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) -> Int? in
                HPACKHuffman.shared.decode(source, into: target)
            }
        }
        #expect(count == nil)
        #expect(target == [0])
    }
}
