internal import HTTPTypes
internal import NIOCore

/// Writes text into the free part of a buffer and validates it.
///
/// Text that does not fit is counted but not written, so that one run either writes everything or measures everything.
struct HTTP1Writer {
    enum Outcome {
        case done
        /// `write` must be called again from the start.
        case again
    }

    private let bytes: UnsafeMutableRawBufferPointer
    private var count = 0

    private init(bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    /// Appends the output of `write`. If `write` throws, which is the only source of errors, `buffer` is unchanged.
    ///
    /// `write` is called again if the room was too small, or if it asks for that. `room` should fit most texts of the
    /// kind, so that this is rare.
    @inline(__always)
    static func append<Failure: Error>(
        to buffer: inout ByteBuffer,
        room: Int,
        _ write: (inout HTTP1Writer) throws(Failure) -> Outcome
    ) throws(Failure) {
        var room = room
        var isWritten = false
        while !isWritten {
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { bytes throws(Failure) in
                var writer = HTTP1Writer(bytes: bytes)
                let outcome = try write(&writer)
                room = max(room, writer.count)
                isWritten = outcome == .done && writer.count <= bytes.count
                return isWritten ? writer.count : 0
            }
        }
    }

    @inline(__always)
    mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes text unchanged, or returns `false` if it contains bytes that are not allowed.
    @inline(__always)
    mutating func write(_ text: inout String, allowing allowed: AllowedOctets) -> Bool {
        text.withUTF8 { write(UnsafeRawBufferPointer($0), allowing: allowed) }
    }

    /// Writes a field line.
    mutating func write(_ fields: HTTPFields, at index: Int) throws(RequestEncodeError) {
        // Read once, since each read copies the field.
        let field = fields[index]
        var name = field.name.rawName
        // The type of a name ensures that it is a token.
        name.withUTF8 { write(UnsafeRawBufferPointer($0)) }
        write(": ")
        let isWritten = field.withUnsafeBytesOfValue {
            write(UnsafeRawBufferPointer($0), allowing: .fieldValue)
        }
        guard isWritten else { throw .fieldValueInvalid(name: name) }
        write("\r\n")
    }

    mutating func write(decimal number: Int) {
        precondition(number >= 0, "a body can't have a negative length")
        var digits = 1
        var bound = 10
        while digits < 19, number >= bound {
            digits += 1
            bound = digits < 19 ? bound * 10 : bound
        }
        var rest = number
        defer { count += digits }
        guard hasRoom(for: digits) else { return }
        for offset in stride(from: digits - 1, through: 0, by: -1) {
            bytes[count + offset] = UInt8(rest % 10) + 0x30
            rest /= 10
        }
    }

    mutating func write(hexadecimal number: Int) {
        let digits = max(1, (Int.bitWidth - number.leadingZeroBitCount + 3) / 4)
        defer { count += digits }
        guard hasRoom(for: digits) else { return }
        for offset in 0..<digits {
            let digit = UInt8(truncatingIfNeeded: number >> (4 * (digits - 1 - offset))) & 0x0F
            bytes[count + offset] = digit < 10 ? digit + 0x30 : digit + 0x57
        }
    }

    @inline(__always)
    private func hasRoom(for more: Int) -> Bool {
        count + more <= bytes.count
    }

    @inline(__always)
    private mutating func write(_ source: UnsafeRawBufferPointer) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        if hasRoom(for: source.count) {
            bytes.baseAddress?.advanced(by: count).copyMemory(from: from, byteCount: source.count)
        }
        count += source.count
    }

    @inline(__always)
    private mutating func write(_ source: UnsafeRawBufferPointer, allowing allowed: AllowedOctets) -> Bool {
        let isAllowed = allowed.allows(source)
        if isAllowed { write(source) }
        return isAllowed
    }
}
