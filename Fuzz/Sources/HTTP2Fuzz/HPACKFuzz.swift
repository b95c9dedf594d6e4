internal import FuzzDriver
internal import NIOCore

@testable internal import ApusEngine

/// Checks HPACK alone: the decoder with any blocks, and the encoder and the decoder of a connection with each other.
enum HPACKFuzz {
    // MARK: The decoder

    /// Reads blocks, each after a byte with its length, up to the first fault.
    static func checkDecoder(_ content: ArraySlice<UInt8>) {
        var reader = HTTP2FuzzReader(content)
        let tableBytes = reader.pick([4_096, 0, 32, 100, 65_536])
        var reading = HPACKReading(tableBytes: tableBytes)
        var reencoded = RoundTrip()
        while !reader.isAtEnd {
            let block = reader.bytes(reader.number())
            checkUnwanted(block, reading, tableBytes)
            reading.read(block)
            check(reading.decoder.table, tableBytes)
            var byteCount = 0
            for header in reading.headers { byteCount += header.byteCount }
            let largest = (block.count + 1) * (max(tableBytes, 4_096) + 2 * block.count + 64)
            require(byteCount <= largest, "a block of \(block.count) bytes became \(byteCount) bytes")
            if reading.failure != nil { return }
            // Lines that were received can be sent, and arrive unchanged.
            reencoded.send(reading.headers.compactMap { (header: HPACKHeader) -> Line? in Line(header) })
        }
    }

    /// Checks that a block changes the table in the same way if its lines are not wanted.
    private static func checkUnwanted(_ block: [UInt8], _ reading: HPACKReading, _ tableBytes: Int) {
        var expected = reading
        expected.read(block)
        for wanted in 0..<3 {
            var decoder = reading.decoder
            var count = 0
            var failure: HPACKError?
            do throws(HPACKError) {
                try decoder.decode(ByteBuffer(bytes: block)) { (_: HPACKHeader) -> Bool in
                    count += 1
                    return count < wanted
                }
            } catch {
                failure = error
            }
            require(failure == expected.failure, "\(String(describing: failure)) for unwanted lines")
            require(count <= max(wanted, 1), "\(count) lines, although \(wanted) were wanted")
            if failure != nil { continue }
            check(decoder.table, tableBytes)
            require(decoder.table.count == expected.decoder.table.count, "another table for unwanted lines")
            require(decoder.table.byteCount == expected.decoder.table.byteCount, "another table for unwanted lines")
        }
    }

    private static func check(_ table: HPACKDynamicTable, _ tableBytes: Int) {
        require(table.limit <= tableBytes, "a table of \(table.limit) bytes, although \(tableBytes) were announced")
        require(table.byteCount <= table.limit, "a table of \(table.byteCount) of \(table.limit) bytes")
        var byteCount = 0
        for offset in 0..<table.count { byteCount += table.header(at: offset)?.byteCount ?? 0 }
        require(byteCount == table.byteCount, "a table of \(byteCount) bytes, not \(table.byteCount)")
        require(table.header(at: table.count) == nil, "an entry behind the last one")
    }

    // MARK: Round trips

    private struct Line {
        let name: String
        let value: [UInt8]
        let indexing: HPACKEncoder.Indexing

        init(name: String, value: [UInt8], indexing: HPACKEncoder.Indexing) {
            self.name = name
            self.value = value
            self.indexing = indexing
        }

        /// Returns a received line, or `nil` if its name or its value is not valid.
        init?(_ header: HPACKHeader) {
            guard header.field != nil, header.isValueValid else { return nil }
            self.init(name: header.nameText, value: header.valueOctets, indexing: .indexed)
        }
    }

    /// An encoder, and the decoder on the other side.
    private struct RoundTrip {
        var encoder = HPACKEncoder()
        var reading = HPACKReading()

        mutating func send(_ lines: [Line]) {
            var buffer = ByteBuffer()
            encoder.begin(into: &buffer)
            for line in lines {
                line.value.withUnsafeBytes { (value: UnsafeRawBufferPointer) -> Void in
                    encoder.encode(name: line.name, value: value, line.indexing, into: &buffer)
                }
            }
            reading.read(Array(buffer.readableBytesView))
            if let failure = reading.failure { fatalError("the decoder rejects an encoded block: \(failure)") }
            let received = reading.headers.map { (header: HPACKHeader) -> String in
                "\(header.nameText) \(header.valueOctets)"
            }
            let sent = lines.map { (line: Line) -> String in "\(line.name) \(line.value)" }
            require(received == sent, "received \(received)\n\nsent \(sent)")
            let (ours, theirs) = (encoder.table, reading.decoder.table)
            require(ours.count == theirs.count, "tables of \(ours.count) and \(theirs.count) entries")
            require(ours.byteCount == theirs.byteCount, "tables of \(ours.byteCount) and \(theirs.byteCount) bytes")
            require(ours.limit == theirs.limit, "tables for \(ours.limit) and \(theirs.limit) bytes")
        }
    }

    /// Sends lists of lines, and changes the size of the table between them.
    static func checkRoundTrip(_ content: ArraySlice<UInt8>) {
        var reader = HTTP2FuzzReader(content)
        var connection = RoundTrip()
        var lines: [Line] = []
        while !reader.isAtEnd {
            switch reader.byte() & 7 {
            case 0:
                connection.send(lines)
                lines = []
            case 1:
                // The change concerns the next block.
                if !lines.isEmpty { connection.send(lines) }
                lines = []
                connection.encoder.setPeerTableBytes(Int(clamping: reader.word() >> (reader.byte() & 31)))
            default: lines.append(line(&reader))
            }
        }
        connection.send(lines)
    }

    private static func line(_ reader: inout HTTP2FuzzReader) -> Line {
        let kind = reader.byte()
        let name: String
        if kind & 0x80 == 0 {
            name = reader.pick(names)
        } else {
            let letters = reader.bytes(1 + reader.number() % 40).map { (byte: UInt8) -> UInt8 in 0x61 + byte % 26 }
            name = letters.isEmpty ? "x" : String(decoding: letters, as: UTF8.self)
        }
        let indexing: HPACKEncoder.Indexing = kind & 3 == 0 ? .never : kind & 3 == 1 ? .notIndexed : .indexed
        if kind & 0x40 == 0 { return Line(name: name, value: Array(reader.pick(values).utf8), indexing: indexing) }
        let isText = name.hasPrefix(":")
        let octets = reader.bytes(reader.number()).map { (byte: UInt8) -> UInt8 in
            // Only the fields keep bytes that are not ASCII. Control characters and blanks would be replaced.
            let octet = isText ? byte & 0x7F : byte
            return octet <= 0x20 || octet == 0x7F ? 0x2A : octet
        }
        let copies = kind & 0x20 == 0 ? 1 : 1 + reader.number() % 32
        return Line(name: name, value: (0..<copies).flatMap { (_: Int) -> [UInt8] in octets }, indexing: indexing)
    }

    private static let names = [
        ":method", ":path", ":authority", ":status", "cookie", "accept", "user-agent", "date", "set-cookie",
        "content-type", "x-a", "x-b", "x-c", "n",
    ]
    private static let values = [
        "", "GET", "/", "200", "404", "gzip, deflate", "a", "b", "no-cache", "Mon, 21 Oct 2013 20:13:21 GMT",
    ]
}
