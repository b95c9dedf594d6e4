internal import HTTPTypes

/// Collects the fields of a section, and remembers the connection's last final head.
///
/// Most lines of a server's responses repeat: its name, the media type, the date within a second. If a line has the
/// same bytes at the same position as in the last head, its field is reused, which is cheaper than creating two Strings
/// and validating them. All other lines are parsed, so the memory affects only the cost of parsing, never its result.
struct HTTP1FieldSection {
    /// A line of the last head. Each line has one remembered field.
    private struct Line {
        /// The offset of the byte after the line's LF.
        let end: Int
        let role: HTTPFieldRole
    }

    /// Larger heads are not remembered, since an idle connection holds these bytes and the fields.
    private static let rememberedBytes = 2048

    private var knownBytes: [UInt8] = []
    private var knownLines: [Line] = []
    private var knownFields = HTTPFields()

    /// The taken fields. While the last head is followed, the fields from `count` on are its unconfirmed ones.
    private var fields = HTTPFields()
    private var lines: [Line] = []
    private var count = 0
    private var isFollowing = false
    private var isRemembering = false
    private var isChanged = false
    /// Whether no taken field requires further processing of the response.
    private(set) var isPlain = true

    /// Starts a section.
    ///
    /// - Parameter isFinalHead: Whether to compare it with the last final head, and to remember it as the next.
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
            // Most heads have fewer fields than this. Growing in steps costs more than the fields.
            if isFinalHead { fields.reserveCapacity(12) }
        }
    }

    /// Returns the length with CRLF and the role of the line at `start`, if the last head had the same line.
    ///
    /// The byte after it must be present too: if that is white space, the field continues in the next line.
    @inline(__always)
    func knownLine(at start: Int, in bytes: UnsafeRawBufferPointer) -> (byteCount: Int, role: HTTPFieldRole)? {
        guard isFollowing, count < knownLines.count else { return nil }
        let from = count == 0 ? 0 : knownLines[count &- 1].end
        let byteCount = knownLines[count].end &- from
        guard bytes.count &- start > byteCount, !HTTPOctets.isBlank(bytes[start &+ byteCount]) else { return nil }
        let isSame = knownBytes.withUnsafeBytes { known in
            HTTPOctets.areEqual(known, from, bytes, start, count: byteCount)
        }
        return isSame ? (byteCount, knownLines[count].role) : nil
    }

    /// Takes the line found by `knownLine(at:in:)`. Its field is already in `fields`.
    @inline(__always)
    mutating func takeKnownLine(_ byteCount: Int, _ role: HTTPFieldRole) {
        noteLine(byteCount, role)
        if role == .demanding { isPlain = false }
        count &+= 1
    }

    /// Takes a field from a line of `byteCount` bytes including its CRLF.
    @inline(__always)
    mutating func take(_ field: HTTPField, _ byteCount: Int, _ role: HTTPFieldRole) {
        noteLine(byteCount, role)
        if role == .demanding { isPlain = false }
        isChanged = true
        if count == fields.count {
            fields.append(field)
        } else if fields[count] != field {
            fields[count] = field
        } else {
            // Equal fields may differ in bytes, as names ignore case. The setter would keep the old one.
            fields.replaceSubrange(count...count, with: CollectionOfOne(field))
        }
        count &+= 1
    }

    /// Skips a line without adding a field. After that, lines and fields no longer correspond.
    mutating func leaveOutLine() {
        dropUnconfirmed()
        isFollowing = false
        isRemembering = false
    }

    /// Prevents the next head from being compared with this one.
    mutating func stopRemembering() {
        isRemembering = false
    }

    /// Ends the section. `bytes` are all its lines with CRLFs, if they were received in one piece.
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
    private mutating func noteLine(_ byteCount: Int, _ role: HTTPFieldRole) {
        guard isRemembering else { return }
        lines.append(Line(end: (lines.last?.end ?? 0) &+ byteCount, role: role))
    }

    private mutating func dropUnconfirmed() {
        if fields.count > count { fields.removeSubrange(count...) }
    }
}
