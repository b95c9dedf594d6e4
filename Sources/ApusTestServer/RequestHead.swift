/// The framing of a request's body (RFC 9112 §6).
enum BodyFraming: Sendable {
    case none
    case length(Int)
    case chunked
}

/// A request head, parsed strictly. Invalid input is reported as a ``fault`` instead of being corrected.
struct RequestHead: Sendable {
    /// The maximum size of a head in bytes.
    static let limit = 64 << 10

    let bytes: [UInt8]
    private(set) var method = ""
    private(set) var target = ""
    private(set) var version = ""
    private(set) var fault: String?
    private(set) var framing = BodyFraming.none
    /// Whether the client wants the connection to persist.
    private(set) var persists = false
    private(set) var expectsContinue = false

    var hasBody: Bool {
        if case .none = framing { false } else { true }
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let start = Self.endOfRequestLine(in: bytes)
        readRequestLine(bytes[..<max(0, start - 2)])
        readFields(from: start)
    }

    /// Returns the index after the first CRLF.
    static func endOfRequestLine(in bytes: [UInt8]) -> Int {
        guard let feed = bytes.firstIndex(of: 0x0A) else { return bytes.count }
        return feed + 1
    }

    private mutating func readRequestLine(_ line: ArraySlice<UInt8>) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else {
            fault = "malformed request line"
            target = String(latin1: line)
            return
        }
        method = String(latin1: parts[0])
        target = String(latin1: parts[1])
        version = String(latin1: parts[2])
        if version != "HTTP/1.1" && version != "HTTP/1.0" { fault = "unknown version" }
        if !parts[0].allSatisfy(FieldLines.isTokenByte) { fault = "malformed method" }
        if !parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }) { fault = "malformed target" }
    }

    private mutating func readFields(from start: Int) {
        var persists = version == "HTTP/1.1"
        var expectsContinue = false
        var hosts = 0
        var length: Int?
        var isChunked = false
        var fault: String?
        let isWellFormed = FieldLines.visit(bytes, from: start) { name, value in
            switch name.count {
            case 4 where FieldLines.equals(bytes[name], "host"):
                hosts += 1
            case 6 where FieldLines.equals(bytes[name], "expect"):
                expectsContinue = FieldLines.equals(bytes[value], "100-continue")
            case 10 where FieldLines.equals(bytes[name], "connection"):
                for option in bytes[value].split(separator: UInt8(ascii: ",")) {
                    let option = FieldLines.trimmed(option)
                    if FieldLines.equals(option, "close") { persists = false }
                    if FieldLines.equals(option, "keep-alive") { persists = true }
                }
            case 14 where FieldLines.equals(bytes[name], "content-length"):
                let number = FieldLines.decimal(bytes[value])
                if number == nil || length != nil { fault = "malformed or repeated Content-Length" }
                length = number
            case 17 where FieldLines.equals(bytes[name], "transfer-encoding"):
                if isChunked || !FieldLines.equals(bytes[value], "chunked") { fault = "unknown transfer coding" }
                isChunked = true
            default:
                break
            }
        }
        if !isWellFormed { fault = "malformed field line" }
        if isChunked && length != nil { fault = "both Content-Length and Transfer-Encoding" }
        if hosts > 1 || (hosts == 0 && version == "HTTP/1.1") { fault = fault ?? "not exactly one Host field" }
        self.fault = self.fault ?? fault
        self.persists = persists
        self.expectsContinue = expectsContinue
        framing = isChunked ? .chunked : length.map { $0 == 0 ? .none : .length($0) } ?? .none
    }
}
