package import NIOCore

/// Decodes the header blocks of one direction of a connection (RFC 7541).
///
/// A block costs time in proportion to its bytes, and memory in proportion to the bytes that were received. A declared
/// length allocates nothing.
package struct HPACKDecoder: Sendable {
    /// The size with which each dynamic table begins (RFC 9113 §6.5.2).
    private static var initialTableBytes: Int { 4096 }

    private let maximumTableBytes: Int
    private(set) var table: HPACKDynamicTable

    /// Creates a decoder with an empty dynamic table.
    ///
    /// The table begins with at most 4,096 bytes. A peer uses more only after a size update. A smaller size applies at
    /// once: a server knows it before its first block, since our SETTINGS precede our first request.
    ///
    /// - Parameter tableBytes: The maximum size of the table, as announced in SETTINGS. Default: 4,096.
    package init(tableBytes: Int = 4096) {
        maximumTableBytes = max(0, tableBytes)
        table = HPACKDynamicTable(limit: min(max(0, tableBytes), Self.initialTableBytes))
    }

    /// Decodes one complete header block.
    ///
    /// - Parameters:
    ///   - block: The joined fragments of the block.
    ///   - body: Called for each line, in order. After it has returned `false` it is not called again, but the rest of
    ///     the block is still decoded, since later blocks refer to the lines in it.
    /// - Throws: `HPACKError`, which ends the connection.
    package mutating func decode(_ block: ByteBuffer, _ body: (HPACKHeader) -> Bool) throws(HPACKError) {
        try block.withUnsafeReadableBytes { (bytes: UnsafeRawBufferPointer) throws(HPACKError) -> Void in
            try decodeBytes(bytes, body)
        }
    }

    private mutating func decodeBytes(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (HPACKHeader) -> Bool
    ) throws(HPACKError) {
        // Enough for any string of the block, and released with it, so that an idle connection holds nothing.
        let scratch = UnsafeMutableRawBufferPointer.allocate(
            byteCount: HPACKHuffman.decodingRoom(for: bytes.count),
            alignment: 1
        )
        defer { scratch.deallocate() }
        var reader = HPACKReader(bytes)
        var isAtStart = true
        var isWanted = true
        while let first = reader.next() {
            let line: HPACKHeader?
            // The number of zeros before the first one identifies the representation (RFC 7541 §6).
            switch first.leadingZeroBitCount {
            case 0:
                let index = try reader.integer(first, prefixBits: 7)
                line = try header(at: index)
            case 1:
                line = try takeLiteral(first, isIndexed: true, isWanted: isWanted, &reader, scratch)
            case 2:
                // RFC 7541 §4.2 names two updates as the maximum, but more of them are harmless.
                guard isAtStart else { throw .tableSizeUpdateMisplaced }
                let size = try reader.integer(first, prefixBits: 5)
                guard size <= maximumTableBytes else { throw .tableSizeUpdateInvalid }
                table.setLimit(size)
                continue
            default:
                line = try takeLiteral(first, isIndexed: false, isWanted: isWanted, &reader, scratch)
            }
            isAtStart = false
            if isWanted, let line { isWanted = body(line) }
        }
    }

    /// Takes a literal line.
    ///
    /// - Returns: The line, or `nil` if the caller skips lines and this one is not added to the table.
    private mutating func takeLiteral(
        _ first: UInt8,
        isIndexed: Bool,
        isWanted: Bool,
        _ reader: inout HPACKReader,
        _ scratch: UnsafeMutableRawBufferPointer
    ) throws(HPACKError) -> HPACKHeader? {
        let index = try reader.integer(first, prefixBits: isIndexed ? 6 : 4)
        let name: HPACKHeader.Name
        let nameByteCount: Int
        if index == 0 {
            let text = try reader.text()
            let octets = try Self.octets(of: text, scratch)
            name = HPACKHeader.Name(octets)
            nameByteCount = octets.count
        } else {
            let known = try header(at: index)
            name = known.name
            nameByteCount = known.nameByteCount
        }
        let text = try reader.text()
        // The name is copied by now, so that its place can be reused.
        let value = try Self.octets(of: text, scratch)
        guard isIndexed || isWanted else { return nil }
        let line = HPACKHeader(name: name, nameByteCount: nameByteCount, value: value)
        if isIndexed { table.insert(line) }
        return line
    }

    /// Returns the line with an index of the address space of both tables (RFC 7541 §2.3.3).
    private func header(at index: Int) throws(HPACKError) -> HPACKHeader {
        if let header = HPACKStaticTable.shared.header(at: index) { return header }
        guard let header = table.header(at: index - HPACKStaticTable.count - 1) else { throw .indexInvalid }
        return header
    }

    /// Returns the bytes of a string, which are in `scratch` if it was Huffman-coded.
    private static func octets(
        of text: HPACKReader.Text,
        _ scratch: UnsafeMutableRawBufferPointer
    ) throws(HPACKError) -> UnsafeRawBufferPointer {
        guard text.isHuffman else { return text.octets }
        guard let count = HPACKHuffman.shared.decode(text.octets, into: scratch) else { throw .huffmanInvalid }
        return UnsafeRawBufferPointer(rebasing: scratch[0..<count])
    }
}
