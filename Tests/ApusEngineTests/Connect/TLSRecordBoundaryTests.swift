internal import ApusTestServer
internal import Testing

@testable internal import ApusEngine

@Suite struct TLSRecordBoundaryTests {
    private func record(_ length: Int) -> [UInt8] {
        [23, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + [UInt8](repeating: 7, count: length)
    }

    private func advance(_ boundary: inout TLSRecordBoundary, over bytes: some Collection<UInt8>) {
        Array(bytes).withUnsafeBytes { boundary.advance(over: $0) }
    }

    @Test(arguments: 0..<50) func isInsideARecordAtEveryByteButTheLastOfEach(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let lengths = (0..<8).map { _ in [0, 1, 2, 255, 256, 16_384, 18_432].randomElement(using: &random) ?? 0 }
        let bytes = lengths.flatMap(record)
        var ends: Set<Int> = [0]
        for length in lengths { ends.insert((ends.max() ?? 0) + 5 + length) }
        var boundary = TLSRecordBoundary()
        #expect(!boundary.isInsideRecord)
        var position = 0
        while position < bytes.count {
            let step = min(
                Int.random(in: 1...([1, 7, 5_000].randomElement(using: &random) ?? 1), using: &random),
                bytes.count - position
            )
            advance(&boundary, over: bytes[position..<(position + step)])
            position += step
            #expect(boundary.isInsideRecord == !ends.contains(position))
        }
    }

    @Test func countsAPartialHeaderAsInsideARecord() {
        for length in 1...5 {
            var boundary = TLSRecordBoundary()
            advance(&boundary, over: record(3).prefix(length))
            #expect(boundary.isInsideRecord)
        }
    }
}
