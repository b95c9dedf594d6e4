internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite struct HPACKEncoderTests {
    /// Returns a block with one line.
    private func encode(
        _ name: String,
        _ value: String,
        _ indexing: HPACKEncoder.Indexing,
        with encoder: inout HPACKEncoder
    ) -> [UInt8] {
        var buffer = ByteBuffer()
        encoder.begin(into: &buffer)
        encoder.encode(name: name, value: value, indexing, into: &buffer)
        return Array(buffer.readableBytesView)
    }

    private func begin(_ encoder: inout HPACKEncoder) -> [UInt8] {
        var buffer = ByteBuffer()
        encoder.begin(into: &buffer)
        return Array(buffer.readableBytesView)
    }

    @Test func writesEachRepresentation() {
        var encoder = HPACKEncoder()
        #expect(encode(":method", "GET", .indexed, with: &encoder) == [0x82])
        // `~` is shorter without the Huffman code.
        #expect(encode("date", "~", .indexed, with: &encoder) == [0x61, 0x01, 0x7E])
        #expect(encode("date", "~", .indexed, with: &encoder) == [0xBE])
        #expect(encode("date", "{", .notIndexed, with: &encoder) == [0x0F, 0x12, 0x01, 0x7B])
        #expect(encode("date", "}", .never, with: &encoder) == [0x1F, 0x12, 0x01, 0x7D])
        #expect(encode("~", "a", .notIndexed, with: &encoder) == [0x00, 0x01, 0x7E, 0x81, 0x1F])
        #expect(encode("~", "a", .never, with: &encoder) == [0x10, 0x01, 0x7E, 0x81, 0x1F])
        #expect(encode("~", "a", .indexed, with: &encoder) == [0x40, 0x01, 0x7E, 0x81, 0x1F])
        #expect(encode("~", "b", .notIndexed, with: &encoder) == [0x0F, 0x2F, 0x81, 0x8F])
        #expect(encoder.table.count == 2)
    }

    @Test func writesNoIndexForALineThatIsNeverIndexed() {
        var encoder = HPACKEncoder()
        // `date` with an empty value is an entry of the static table.
        #expect(encode("date", "", .never, with: &encoder) == [0x1F, 0x12, 0x00])
        #expect(encode(":method", "GET", .never, with: &encoder) == [0x12, 0x83, 0xC5, 0x83, 0x7F])
        _ = encode("date", "~", .indexed, with: &encoder)
        #expect(encode("date", "~", .never, with: &encoder) == [0x1F, 0x12, 0x01, 0x7E])
        #expect(encode("date", "~", .notIndexed, with: &encoder) == [0xBE])
        #expect(encoder.table.count == 1)
    }

    @Test func prefersTheStaticTable() {
        var encoder = HPACKEncoder()
        _ = encode("cookie", "a=b", .indexed, with: &encoder)
        #expect(encode("cookie", "~", .notIndexed, with: &encoder) == [0x0F, 0x11, 0x01, 0x7E])
        _ = encode("x-a", "1", .indexed, with: &encoder)
        _ = encode("x-a", "2", .indexed, with: &encoder)
        // The newest entry with the name has the lowest index.
        #expect(encode("x-a", "~", .notIndexed, with: &encoder) == [0x0F, 0x2F, 0x01, 0x7E])
        #expect(encode("x-a", "1", .indexed, with: &encoder) == [0xBF])
        #expect(encode("x-a", "2", .indexed, with: &encoder) == [0xBE])
    }

    /// Strings that Swift considers equal may have different bytes.
    @Test func comparesBytes() {
        var encoder = HPACKEncoder()
        var reading = HPACKReading()
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        for value in [composed, decomposed, composed, decomposed] {
            reading.read(encode("x-a", value, .indexed, with: &encoder))
            #expect(reading.headers.first?.valueOctets == Array(value.utf8))
        }
        #expect(encoder.table.count == 2)
    }

    @Test func keepsBytesThatAreNotUTF8() {
        var encoder = HPACKEncoder()
        var reading = HPACKReading()
        let octets: [UInt8] = [0x61, 0xE9, 0xFF]
        for count in [nil, 1, 1] as [Int?] {
            var buffer = ByteBuffer()
            octets.withUnsafeBytes { (value: UnsafeRawBufferPointer) -> Void in
                encoder.encode(name: "x-a", value: value, .indexed, into: &buffer)
            }
            if let count { #expect(buffer.readableBytes == count) }
            reading.read(Array(buffer.readableBytesView))
            #expect(reading.headers.first?.valueOctets == octets)
        }
    }

    @Test func writesEmptyNamesAndValues() {
        var encoder = HPACKEncoder()
        #expect(encode("", "", .notIndexed, with: &encoder) == [0x00, 0x00, 0x00])
        #expect(encode("x", "", .notIndexed, with: &encoder) == [0x00, 0x81, 0xF3, 0x00])
        #expect(encode(":path", "", .notIndexed, with: &encoder) == [0x04, 0x00])
    }

    @Test func appendsToTheBuffer() {
        var encoder = HPACKEncoder()
        var buffer = ByteBuffer(bytes: [0x01, 0x02])
        encoder.begin(into: &buffer)
        encoder.encode(name: ":method", value: "POST", .indexed, into: &buffer)
        encoder.encode(name: ":scheme", value: "https", .indexed, into: &buffer)
        #expect(Array(buffer.readableBytesView) == [0x01, 0x02, 0x83, 0x87])
    }

    @Test func writesLongStrings() {
        for count in [126, 127, 128, 254, 255, 16_000, 200_000] {
            for text in ["a", "~", "\u{1}", "\u{FF}"] {
                let value = String(repeating: text, count: count)
                var encoder = HPACKEncoder()
                var reading = HPACKReading()
                reading.read(encode("x-a", value, .notIndexed, with: &encoder))
                #expect(reading.failure == nil)
                #expect(reading.headers.first?.value.utf8.count == value.utf8.count)
                #expect(reading.headers.first?.value == value)
            }
        }
    }
}

/// The dynamic table of the encoder.
extension HPACKEncoderTests {
    @Test func evictsAsTheDecoderDoes() {
        var encoder = HPACKEncoder()
        var reading = HPACKReading()
        encoder.setPeerTableBytes(200)
        for round in 0..<50 {
            let line = (name: "x-\(round % 7)", value: String(repeating: "v", count: round % 40))
            reading.read(encode(line.name, line.value, .indexed, with: &encoder))
            #expect(reading.lines == ["\(line.name): \(line.value)"])
            #expect(encoder.table.byteCount == reading.decoder.table.byteCount)
            #expect(encoder.table.count == reading.decoder.table.count)
            #expect(encoder.table.byteCount <= 200)
        }
    }

    @Test func doesNotReplaceTheTableByOneLine() {
        var encoder = HPACKEncoder()
        _ = encode("x-a", "1", .indexed, with: &encoder)
        // Three quarters of the table are 3,072 bytes.
        _ = encode("x-b", String(repeating: "v", count: 3_038), .indexed, with: &encoder)
        #expect(encoder.table.count == 1)
        _ = encode("x-b", String(repeating: "v", count: 3_037), .indexed, with: &encoder)
        #expect(encoder.table.count == 2)
        _ = encode("x-c", String(repeating: "v", count: 5_000), .indexed, with: &encoder)
        #expect(encoder.table.count == 2)
    }

    @Test func announcesASmallerTable() {
        var encoder = HPACKEncoder()
        _ = encode("x-a", "1", .indexed, with: &encoder)
        encoder.setPeerTableBytes(100)
        #expect(encoder.table.count == 1)
        #expect(begin(&encoder) == [0x3F, 0x45])
        #expect(begin(&encoder) == [])
        encoder.setPeerTableBytes(0)
        #expect(encoder.table.count == 0)
        #expect(encode("x-a", "1", .indexed, with: &encoder).first == 0x20)
        #expect(encoder.table.count == 0)
    }

    @Test func announcesTheMinimumAndTheFinalSize() {
        var encoder = HPACKEncoder()
        _ = encode("x-a", "1", .indexed, with: &encoder)
        encoder.setPeerTableBytes(0)
        encoder.setPeerTableBytes(4096)
        #expect(encoder.table.count == 0)
        #expect(begin(&encoder) == [0x20, 0x3F, 0xE1, 0x1F])
        encoder.setPeerTableBytes(100)
        encoder.setPeerTableBytes(30)
        encoder.setPeerTableBytes(100)
        #expect(begin(&encoder) == [0x3E, 0x3F, 0x45])
        encoder.setPeerTableBytes(4096)
        encoder.setPeerTableBytes(200)
        #expect(begin(&encoder) == [0x3F, 0xA9, 0x01])
    }

    @Test func usesAtMost4096Bytes() {
        var encoder = HPACKEncoder()
        for count in [4096, 4097, 65_536, Int.max] {
            encoder.setPeerTableBytes(count)
            #expect(begin(&encoder) == [])
            #expect(encoder.table.limit == 4096)
        }
        encoder.setPeerTableBytes(-1)
        #expect(encoder.table.limit == 0)
        #expect(begin(&encoder) == [0x20])
        encoder.setPeerTableBytes(.max)
        #expect(begin(&encoder) == [0x3F, 0xE1, 0x1F])
    }

    @Test func boundsTheTable() {
        var encoder = HPACKEncoder()
        for number in 0..<2_000 {
            _ = encode("", "\(number % 3)", .indexed, with: &encoder)
            _ = encode("n\(number)", "", .indexed, with: &encoder)
            #expect(encoder.table.byteCount <= 4096)
            #expect(encoder.table.count <= 128)
        }
    }
}
