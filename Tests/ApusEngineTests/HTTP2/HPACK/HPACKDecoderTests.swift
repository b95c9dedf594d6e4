internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite struct HPACKDecoderTests {
    static let faults: [(String, HPACKError)] = [
        ("80", .indexInvalid), ("be", .indexInvalid), ("7e00", .indexInvalid), ("0f2f00", .indexInvalid),
        ("1f2f00", .indexInvalid), ("ffffffffff06", .indexInvalid),
        ("ff8080808008", .integerTooLarge), ("ff808080808000", .integerTooLarge), ("007fffffffff07", .integerTooLarge),
        ("3fffffffff07", .integerTooLarge),
        ("00", .truncated), ("40", .truncated), ("4001", .truncated), ("400161", .truncated), ("40016101", .truncated),
        ("ff", .truncated), ("007f80ffffff07", .truncated), ("3f", .truncated), ("3fe1", .truncated),
        ("0081ff00", .huffmanInvalid), ("00016181ff", .huffmanInvalid), ("00016184ffffffff", .huffmanInvalid),
        ("0001618118", .huffmanInvalid), ("00016185ffffffffff", .huffmanInvalid),
        ("3fe21f", .tableSizeUpdateInvalid), ("3fe1ff0f", .tableSizeUpdateInvalid),
        ("8220", .tableSizeUpdateMisplaced), ("823fe11f", .tableSizeUpdateMisplaced),
        ("208220", .tableSizeUpdateMisplaced), ("0001610020", .tableSizeUpdateMisplaced),
    ]

    @Test(arguments: faults)
    func rejects(hex: String, fault: HPACKError) {
        var reading = HPACKReading()
        reading.read(hex: hex)
        #expect(reading.failure == fault)
    }

    @Test func describesErrorsInOneSentence() {
        let all: [HPACKError] = [
            .integerTooLarge, .indexInvalid, .huffmanInvalid, .truncated, .tableSizeUpdateInvalid,
            .tableSizeUpdateMisplaced,
        ]
        for error in all { #expect(error.description.hasSuffix(".")) }
        #expect(Set(all.map(\.description)).count == all.count)
    }

    @Test func decodesAnEmptyBlock() {
        var reading = HPACKReading()
        reading.read([])
        #expect(reading.failure == nil)
        #expect(reading.lines == [])
    }

    @Test func decodesEachRepresentation() {
        var reading = HPACKReading()
        // Indexed, with indexing, without indexing, never indexed: each with a name of its own and with an index.
        reading.read(hex: "88 4001610131 00 0162 0132 10 0163 0133 5c 0134 0f0d 0135 1f0d 0136 be")
        #expect(reading.failure == nil)
        #expect(
            reading.lines == [
                ":status: 200", "a: 1", "b: 2", "c: 3", "content-length: 4", "content-length: 5", "content-length: 6",
                "content-length: 4",
            ]
        )
        #expect(reading.table == ["content-length: 4", "a: 1"])
    }

    @Test func keepsTheKindOfAnIndexedName() {
        var reading = HPACKReading()
        // An invalid name and an unknown pseudo field are entries like others, whose names may be used again.
        reading.read(hex: "40 0141 0131 40 023a78 0132 7f00 0133 7f00 0134")
        #expect(reading.failure == nil)
        #expect(reading.lines == ["invalid: 1", ":: 2", "invalid: 3", ":: 4"])
        #expect(reading.decoder.table.byteCount == 34 + 35 + 34 + 35)
    }

    @Test func copiesTheNameOfAnEntryThatIsEvicted() {
        var reading = HPACKReading(tableBytes: 100)
        reading.read(hex: "40 0461616161 0178")
        #expect(reading.table == ["aaaa: x"])
        let value = [UInt8](repeating: 0x76, count: 60)
        reading.read([0x7E, 60] + value)
        #expect(reading.failure == nil)
        #expect(reading.table == ["aaaa: " + String(decoding: value, as: UTF8.self)])
        let large = [UInt8](repeating: 0x77, count: 65)
        reading.read([0x7E, 65] + large)
        #expect(reading.lines == ["aaaa: " + String(decoding: large, as: UTF8.self)])
        #expect(reading.table == [])
        reading.read([0xBE])
        #expect(reading.failure == .indexInvalid)
    }

    @Test func decodesABufferWithAReaderIndex() throws {
        var buffer = ByteBuffer(bytes: [0xFF, 0xFF, 0x82, 0x84])
        buffer.moveReaderIndex(forwardBy: 2)
        var decoder = HPACKDecoder()
        var lines: [String] = []
        try decoder.decode(buffer) { (header: HPACKHeader) -> Bool in
            lines.append(header.line)
            return true
        }
        #expect(lines == [":method: GET", ":path: /"])
    }

    @Test func keepsTheTableAfterTheCallerHasStopped() throws {
        var reading = HPACKReading()
        var decoder = reading.decoder
        var calls = 0
        let block = HPACKReading.octets("82 40 0161 0131 00 0162 0132 41 0133 0001 63 811f 40 0164 0134")
        try decoder.decode(ByteBuffer(bytes: block)) { (_: HPACKHeader) -> Bool in
            calls += 1
            return false
        }
        #expect(calls == 1)
        reading.read(block)
        #expect(decoder.table.count == 3)
        #expect(decoder.table.byteCount == reading.decoder.table.byteCount)
        var lines: [String] = []
        try decoder.decode(ByteBuffer(bytes: [0xBE, 0xBF, 0xC0])) { (header: HPACKHeader) -> Bool in
            lines.append(header.line)
            return true
        }
        #expect(lines == ["d: 4", ":authority: 3", "a: 1"])
    }

    @Test(arguments: [
        ("8280", HPACKError.indexInvalid), ("8200016181ff", .huffmanInvalid), ("820081ff00", .huffmanInvalid),
        ("82400161", .truncated), ("8220", .tableSizeUpdateMisplaced),
    ])
    func reportsErrorsAfterTheCallerHasStopped(hex: String, fault: HPACKError) {
        var decoder = HPACKDecoder()
        var failure: HPACKError?
        do throws(HPACKError) {
            try decoder.decode(ByteBuffer(bytes: HPACKReading.octets(hex))) { (_: HPACKHeader) -> Bool in false }
        } catch {
            failure = error
        }
        #expect(failure == fault)
    }
}

/// Dynamic table size updates (RFC 7541 §6.3).
extension HPACKDecoderTests {
    @Test func shrinksTheTable() {
        var reading = HPACKReading()
        reading.read(hex: "40 0161 0131 40 0162 0132 40 0163 0133")
        #expect(reading.table == ["c: 3", "b: 2", "a: 1"])
        // 68 bytes are two entries.
        reading.read(hex: "3f25 be")
        #expect(reading.failure == nil)
        #expect(reading.lines == ["c: 3"])
        #expect(reading.table == ["c: 3", "b: 2"])
        #expect(reading.decoder.table.limit == 68)
        reading.read(hex: "40 0164 0134")
        #expect(reading.table == ["d: 4", "c: 3"])
    }

    @Test func shrinksAndGrowsTheTableInOneBlock() {
        var reading = HPACKReading()
        reading.read(hex: "40 0161 0131")
        reading.read(hex: "20 3fe11f 40 0162 0132")
        #expect(reading.failure == nil)
        #expect(reading.table == ["b: 2"])
        #expect(reading.decoder.table.limit == 4096)
    }

    @Test func acceptsUpdatesWithoutLines() {
        var reading = HPACKReading()
        reading.read(hex: "20")
        #expect(reading.failure == nil)
        #expect(reading.decoder.table.limit == 0)
        reading.read(hex: "40 0161 0131")
        #expect(reading.lines == ["a: 1"])
        #expect(reading.table == [])
        reading.read(hex: "3fe11f")
        #expect(reading.decoder.table.limit == 4096)
    }

    @Test func acceptsTheAnnouncedSizeAtMost() {
        for (hex, limit) in [("3fe11f", 4096), ("3fe01f", 4095), ("3f00", 31), ("3e", 30)] {
            var reading = HPACKReading()
            reading.read(hex: hex)
            #expect(reading.failure == nil)
            #expect(reading.decoder.table.limit == limit)
        }
        var small = HPACKReading(tableBytes: 0)
        small.read(hex: "20 40 0161 0131")
        #expect(small.lines == ["a: 1"])
        #expect(small.table == [])
        small.read(hex: "21")
        #expect(small.failure == .tableSizeUpdateInvalid)
        #expect(HPACKReading(tableBytes: -1).decoder.table.limit == 0)
    }

    @Test func beginsALargerTableWith4096Bytes() {
        var reading = HPACKReading(tableBytes: 8192)
        // A value of 127 + 0x26 × 128 + 1 = 4,992 bytes.
        var line: [UInt8] = [0x40, 0x01, 0x61, 0x7F, 0x81, 0x26]
        line += [UInt8](repeating: 0x76, count: 4_992)
        reading.read(line)
        #expect(reading.failure == nil)
        #expect(reading.headers.first?.byteCount == 5_025)
        #expect(reading.table == [])
        reading.read(HPACKReading.octets("3fe13f") + line)
        #expect(reading.failure == nil)
        #expect(reading.decoder.table.limit == 8192)
        #expect(reading.decoder.table.byteCount == 5_025)
        reading.read(hex: "3fe23f")
        #expect(reading.failure == .tableSizeUpdateInvalid)
    }
}

/// The bounds of memory and time.
extension HPACKDecoderTests {
    @Test func boundsTheTable() {
        var reading = HPACKReading()
        for number in 1_000..<3_000 {
            let name = Array("n\(number)".utf8)
            var block: [UInt8] = [0x40, UInt8(name.count)]
            block += name
            block.append(0x00)
            reading.read(block)
            #expect(reading.failure == nil)
            #expect(reading.decoder.table.byteCount <= 4096)
        }
        // Each entry has 37 bytes.
        #expect(reading.decoder.table.count == 110)
    }

    /// A large entry that is repeated by an index of one byte. The caller's limit ends the calls.
    @Test func boundsAListOfIndexes() throws {
        var block = ByteBuffer(bytes: [0x40, 0x01, 0x61, 0x7F, 0x81, 0x1E])
        block.writeRepeatingByte(0x76, count: 3_968)
        block.writeRepeatingByte(0xBE, count: 100_000)
        var decoder = HPACKDecoder()
        var calls = 0
        var byteCount = 0
        try decoder.decode(block) { (header: HPACKHeader) -> Bool in
            calls += 1
            byteCount += header.byteCount
            return byteCount <= 65_536
        }
        #expect(calls == 17)
        #expect(byteCount == 17 * 4_001)
        #expect(decoder.table.count == 1)
    }

    /// Strings that expand: five bits for each byte, and three bytes of text for each byte that is not UTF-8.
    @Test func decodesTheMostExpandingStrings() {
        var reading = HPACKReading()
        // Eight times `0` are five bytes of zeros.
        reading.read([0x00, 0x01, 0x61, 0xFF, 0x81, 0x07] + [UInt8](repeating: 0, count: 1_024))
        #expect(reading.failure == .huffmanInvalid)
        reading.read([0x00, 0x01, 0x61, 0xFF, 0xFC, 0x06] + [UInt8](repeating: 0, count: 1_019))
        #expect(reading.failure == .huffmanInvalid)
        reading.read([0x00, 0x01, 0x61, 0xFF, 0xFD, 0x06] + [UInt8](repeating: 0, count: 1_020))
        #expect(reading.failure == nil)
        #expect(reading.headers.first?.value == String(repeating: "0", count: 1_632))
        reading.read([0x40, 0x01, 0x61, 0x7F, 0x81, 0x1E] + [UInt8](repeating: 0xFF, count: 3_968))
        #expect(reading.headers.first?.value.unicodeScalars.count == 3_968)
        #expect(reading.decoder.table.byteCount == 4_001)
    }
}
