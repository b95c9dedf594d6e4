internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite struct HPACKExampleTests {
    @Test(arguments: HPACKExample.all)
    func decodes(example: HPACKExample) {
        var reading = HPACKReading(tableBytes: example.tableBytes)
        for block in example.blocks {
            reading.read(hex: block.hex)
            #expect(reading.failure == nil)
            #expect(reading.lines == block.lines)
            #expect(reading.table == block.table)
            #expect(reading.decoder.table.byteCount == block.tableByteCount)
        }
    }

    @Test(arguments: HPACKExample.encoded)
    func encodes(example: HPACKExample) {
        var encoder = HPACKEncoder()
        var expected: [UInt8] = []
        if example.tableBytes == 256 {
            encoder.setPeerTableBytes(256)
            // The example begins with the smaller table. Our encoder announces it first.
            expected = [0x3F, 0xE1, 0x01]
        }
        for block in example.blocks {
            var buffer = ByteBuffer()
            encoder.begin(into: &buffer)
            for line in block.lines {
                let parts = HPACKReading.parts(of: line)
                encoder.encode(name: parts.name, value: parts.value, .indexed, into: &buffer)
            }
            expected += HPACKReading.octets(block.hex)
            #expect(Array(buffer.readableBytesView) == expected)
            #expect(encoder.table.byteCount == block.tableByteCount)
            #expect(encoder.table.count == block.table.count)
            expected = []
        }
    }

    /// A block that is cut after any byte is a shorter list, or ends inside a line.
    @Test(arguments: HPACKExample.all)
    func reportsACut(example: HPACKExample) {
        var reading = HPACKReading(tableBytes: example.tableBytes)
        for block in example.blocks {
            let octets = HPACKReading.octets(block.hex)
            for count in 0..<octets.count {
                var cut = reading
                cut.read(Array(octets.prefix(count)))
                #expect(cut.failure == nil || cut.failure == .truncated)
                #expect(cut.lines.count < block.lines.count)
                #expect(cut.lines == Array(block.lines.prefix(cut.lines.count)))
            }
            reading.read(octets)
        }
    }
}
