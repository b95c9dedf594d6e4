internal import HTTPTypes

/// The fields of a section as its lines are taken, and the memory of the connection's last final head.
///
/// From one response to the next a server mostly repeats itself, line by line: its name, the media type, the date for
/// a second. A line that is the same bytes at the same place as in the last head is the same field, which then costs a
/// comparison where it would cost two Strings and their checks. Nothing is ever assumed: what is not the same bytes is
/// read anew, so the memory changes what reading costs and never what is read.
struct HTTP1FieldSection {
    /// A line of the last head; the fields remembered with it are one for each line.
    private struct Line {
        /// The offset of the byte after the line's LF.
        let end: Int
        let role: HTTP1FieldRole
    }

    /// A larger head is not remembered: an idle connection holds this much, and the fields.
    private static let rememberedBytes = 2048

    private var knownBytes: [UInt8] = []
    private var knownLines: [Line] = []
    private var knownFields = HTTPFields()

    /// The fields taken, and above `count`, while the last head is followed, its fields that are yet to be confirmed.
    private var fields = HTTPFields()
    private var lines: [Line] = []
    private var count = 0
    private var isFollowing = false
    private var isRemembering = false
    private var isChanged = false
    /// Whether no field that was taken has the chain do something.
    private(set) var isPlain = true

    /// Starts a section.
    ///
    /// - Parameter isFinalHead: Whether it is to be compared with the last final head, and remembered as the next.
    mutating func begin(isFinalHead: Bool) {
        count = 0
        isPlain = true
        isChanged = false
        isRemembering = isFinalHead
        isFollowing = isFinalHead && !knownLines.isEmpty
        lines.removeAll(keepingCapacity: true)
        if isFollowing {
            fields = knownFields
        } else {
            fields = HTTPFields()
            // Most heads have fewer fields than this; growing step by step costs more than the fields.
            if isFinalHead { fields.reserveCapacity(12) }
        }
    }

    /// The length with CRLF and the role of the next line, if `bytes` has at `start` the line that the last head had.
    ///
    /// The byte behind it has to be there too: if that is white space, the line is only the beginning of a field.
    @inline(__always)
    func knownLine(at start: Int, in bytes: UnsafeRawBufferPointer) -> (byteCount: Int, role: HTTP1FieldRole)? {
        guard isFollowing, count < knownLines.count else { return nil }
        let from = count == 0 ? 0 : knownLines[count &- 1].end
        let byteCount = knownLines[count].end &- from
        guard bytes.count &- start > byteCount, !HTTP1Octets.isBlank(bytes[start &+ byteCount]) else { return nil }
        let isSame = knownBytes.withUnsafeBytes { known in
            HTTP1Octets.areEqual(known, from, bytes, start, count: byteCount)
        }
        return isSame ? (byteCount, knownLines[count].role) : nil
    }

    /// Takes the line that `knownLine(at:in:)` has found, whose field is in its place already.
    @inline(__always)
    mutating func takeKnownLine(_ byteCount: Int, _ role: HTTP1FieldRole) {
        noteLine(byteCount, role)
        if role == .demanding { isPlain = false }
        count &+= 1
    }

    /// Takes the field of a line of `byteCount` bytes with its CRLF.
    @inline(__always)
    mutating func take(_ field: HTTPField, _ byteCount: Int, _ role: HTTP1FieldRole) {
        noteLine(byteCount, role)
        if role == .demanding { isPlain = false }
        isChanged = true
        if count == fields.count {
            fields.append(field)
        } else if fields[count] != field {
            fields[count] = field
        } else {
            // Equal is not the same: names ignore case and values compare as Unicode. The setter keeps what is equal.
            fields.replaceSubrange(count...count, with: CollectionOfOne(field))
        }
        count &+= 1
    }

    /// Takes a line that stays out of the fields; from here on lines and fields no longer correspond.
    mutating func leaveOutLine() {
        dropUnconfirmed()
        isFollowing = false
        isRemembering = false
    }

    /// Does not compare the next head with this one.
    mutating func stopRemembering() {
        isRemembering = false
    }

    /// Ends the section, of which `bytes` are all lines with their CRLFs if they were received in one piece.
    mutating func end(_ bytes: UnsafeRawBufferPointer?) -> HTTPFields {
        dropUnconfirmed()
        if isRemembering, isChanged || count != knownLines.count, let bytes, bytes.count <= Self.rememberedBytes {
            knownBytes.removeAll(keepingCapacity: true)
            knownBytes.append(contentsOf: bytes)
            swap(&knownLines, &lines)
            knownFields = fields
        }
        isFollowing = false
        defer { fields = HTTPFields() }
        return fields
    }

    @inline(__always)
    private mutating func noteLine(_ byteCount: Int, _ role: HTTP1FieldRole) {
        guard isRemembering else { return }
        lines.append(Line(end: (lines.last?.end ?? 0) &+ byteCount, role: role))
    }

    private mutating func dropUnconfirmed() {
        if fields.count > count { fields.removeSubrange(count...) }
    }
}
