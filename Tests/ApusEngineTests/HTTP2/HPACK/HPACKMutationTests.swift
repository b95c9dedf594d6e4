internal import NIOCore
internal import Testing

@testable internal import ApusEngine

/// Generated lists are decoded as they were encoded, and no block traps, however it is damaged.
@Suite struct HPACKMutationTests {
    /// An encoder and the decoder on the other side.
    private struct Connection {
        var encoder = HPACKEncoder()
        var reading = HPACKReading()
        var lines: [HPACKGenerator.Line] = []

        /// Encodes a list, after changes of the table's size.
        mutating func encode(_ generator: inout HPACKGenerator) -> [UInt8] {
            while generator.chance(10) {
                encoder.setPeerTableBytes(generator.pick([0, 31, 32, 33, 64, 100, 256, 1_000, 4_095, 4_096, 10_000]))
            }
            lines = []
            for _ in 0..<Int.random(in: 0..<20, using: &generator) { lines.append(generator.line()) }
            var buffer = ByteBuffer()
            encoder.begin(into: &buffer)
            for line in lines {
                line.value.withUnsafeBytes { (value: UnsafeRawBufferPointer) -> Void in
                    encoder.encode(name: line.name, value: value, line.indexing, into: &buffer)
                }
            }
            return Array(buffer.readableBytesView)
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func decodesGeneratedLists(seed: UInt64) {
        var generator = HPACKGenerator(seed: seed)
        var connection = Connection()
        var byteCounts = (plain: 0, coded: 0)
        for _ in 0..<1_000 {
            let block = connection.encode(&generator)
            connection.reading.read(block)
            let received = connection.reading.headers.map { (header: HPACKHeader) -> String in
                "\(header.nameText) \(header.valueOctets)"
            }
            let sent = connection.lines.map { (line: HPACKGenerator.Line) -> String in line.text }
            #expect(connection.reading.failure == nil)
            #expect(received == sent)
            #expect(connection.reading.decoder.table.count == connection.encoder.table.count)
            #expect(connection.reading.decoder.table.byteCount == connection.encoder.table.byteCount)
            #expect(connection.reading.decoder.table.limit == connection.encoder.table.limit)
            byteCounts.coded += block.count
            for header in connection.reading.headers { byteCounts.plain += header.byteCount - 32 }
        }
        #expect(byteCounts.coded < byteCounts.plain)
    }

    @Test(arguments: [5, 6] as [UInt64])
    func survivesDamagedBlocks(seed: UInt64) {
        var generator = HPACKGenerator(seed: seed)
        var connection = Connection()
        var faults: Set<String> = []
        var accepted = 0
        for _ in 0..<500 {
            let block = connection.encode(&generator)
            for _ in 0..<10 {
                var damaged = block
                for _ in 0..<Int.random(in: 1...3, using: &generator) { generator.damage(&damaged) }
                // The tables are values, so that each block meets the same state.
                var reading = connection.reading
                reading.read(damaged)
                Self.check(reading)
                if let fault = reading.failure { faults.insert("\(fault)") } else { accepted += 1 }
            }
            connection.reading.read(block)
        }
        #expect(accepted > 0)
        #expect(faults.count >= 4)
    }

    @Test func survivesRandomBlocks() {
        var generator = HPACKGenerator(seed: 7)
        var reading = HPACKReading()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            reading.read(generator.octets(count: count))
            Self.check(reading)
        }
    }

    /// Every block of two bytes, alone and with the entries of a table.
    @Test func survivesAllShortBlocks() {
        var filled = HPACKReading()
        filled.read(hex: "40 0161 0131 40 0162 0132")
        var surprises = 0
        for number in 0..<65_536 {
            let block = [UInt8(number >> 8), UInt8(number & 0xFF)]
            var reading = filled
            reading.read(block)
            if reading.headers.count > 2 || reading.decoder.table.count > 3 { surprises += 1 }
        }
        #expect(surprises == 0)
    }

    private static func check(_ reading: HPACKReading) {
        let table = reading.decoder.table
        #expect(table.limit <= 4_096)
        #expect(table.byteCount <= table.limit)
        #expect(table.count <= 128)
        var byteCount = 0
        for offset in 0..<table.count { byteCount += table.header(at: offset)?.byteCount ?? 0 }
        #expect(byteCount == table.byteCount)
    }
}
