package import NIOCore

/// Encodes the header blocks of one direction of a connection (RFC 7541).
///
/// A block begins with `begin(into:)`, followed by its lines. Each line changes the table of the peer, so a block that
/// was begun must be sent, in the order of encoding.
package struct HPACKEncoder: Sendable {
    /// The treatment of a line by the dynamic table.
    package enum Indexing: Sendable {
        /// The line is added to the table, so that its next occurrence is an index.
        case indexed
        /// The line is not added. It is still an index if a table has it.
        case notIndexed
        /// The line is always a literal, here and in each further hop (RFC 7541 §7.1.3).
        case never
    }

    /// The initial table size. Also the maximum if the peer allows more.
    private static var maximumTableBytes: Int { 4096 }

    private(set) var table = HPACKEncoderTable(limit: HPACKEncoder.maximumTableBytes)
    /// The smallest size since the last block, if the size was changed.
    private var dueMinimum: Int?

    /// Creates an encoder with an empty dynamic table of 4,096 bytes.
    package init() {}

    /// Takes the peer's SETTINGS_HEADER_TABLE_SIZE. At most 4,096 bytes of it are used.
    ///
    /// The next block begins with the size updates of RFC 7541 §4.2: the minimum and the final value.
    package mutating func setPeerTableBytes(_ count: Int) {
        let limit = max(0, min(count, Self.maximumTableBytes))
        guard limit != table.limit else { return }
        dueMinimum = min(dueMinimum ?? limit, limit)
        table.setLimit(limit)
    }

    /// Begins a block: writes the size updates that are due.
    package mutating func begin(into buffer: inout ByteBuffer) {
        guard let minimum = dueMinimum else { return }
        dueMinimum = nil
        let limit = table.limit
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: HPACKWriter.overheadBytes) {
            (bytes: UnsafeMutableRawBufferPointer) -> Int in
            var writer = HPACKWriter(bytes)
            if minimum < limit { writer.write(minimum, prefixBits: 5, pattern: 0x20) }
            writer.write(limit, prefixBits: 5, pattern: 0x20)
            return writer.count
        }
    }

    /// Writes a line.
    ///
    /// - Parameters:
    ///   - name: The name in lower case, or the name of a pseudo field.
    ///   - value: The value.
    ///   - indexing: The treatment of the line.
    ///   - buffer: The buffer to append to.
    package mutating func encode(
        name: String,
        value: String,
        _ indexing: Indexing,
        into buffer: inout ByteBuffer
    ) {
        var value = value
        value.withUTF8 { (value: UnsafeBufferPointer<UInt8>) -> Void in
            encode(name: name, value: UnsafeRawBufferPointer(value), indexing, into: &buffer)
        }
    }

    /// Writes a line whose value may be bytes that are not UTF-8.
    ///
    /// - Parameters:
    ///   - name: The name in lower case, or the name of a pseudo field.
    ///   - value: The bytes of the value.
    ///   - indexing: The treatment of the line.
    ///   - buffer: The buffer to append to.
    package mutating func encode(
        name: String,
        value: UnsafeRawBufferPointer,
        _ indexing: Indexing,
        into buffer: inout ByteBuffer
    ) {
        var name = name
        name.withUTF8 { (name: UnsafeBufferPointer<UInt8>) -> Void in
            encodeOctets(UnsafeRawBufferPointer(name), value, indexing, into: &buffer)
        }
    }

    private mutating func encodeOctets(
        _ name: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer,
        _ indexing: Indexing,
        into buffer: inout ByteBuffer
    ) {
        // The bytes of a secret must not depend on whether a table has it, so only its name is searched.
        let sought = indexing == .never ? UnsafeRawBufferPointer(start: nil, count: 0) : value
        let key = HPACKKey(name: name, value: sought)
        let match = find(key, name, sought)
        let isIndex = match?.hasValue == true && indexing != .never
        let size = name.count + value.count + HPACKHeader.overheadBytes
        let isAdded = !isIndex && indexing == .indexed && table.accepts(byteCount: size)
        let index = match?.index ?? 0
        let room = name.count + value.count + HPACKWriter.overheadBytes
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: room) {
            (bytes: UnsafeMutableRawBufferPointer) -> Int in
            var writer = HPACKWriter(bytes)
            if isIndex {
                writer.write(index, prefixBits: 7, pattern: 0x80)
                return writer.count
            }
            if isAdded {
                writer.write(index, prefixBits: 6, pattern: 0x40)
            } else {
                writer.write(index, prefixBits: 4, pattern: indexing == .never ? 0x10 : 0x00)
            }
            if index == 0 { writer.write(name) }
            writer.write(value)
            return writer.count
        }
        if isAdded { table.insert(key, name, value) }
    }

    /// Returns an entry with the line, or else one with its name, which is preferred in the static table.
    private func find(
        _ key: HPACKKey,
        _ name: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer
    ) -> HPACKMatch? {
        let fixed = HPACKStaticTable.shared.find(key, name, value)
        if let fixed, fixed.hasValue { return fixed }
        let recent = table.find(key, name, value)
        if let recent, recent.hasValue { return recent }
        return fixed ?? recent
    }
}
