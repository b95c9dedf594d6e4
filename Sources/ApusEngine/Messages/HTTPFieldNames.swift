internal import HTTPTypes

/// The meaning of a field for the codec.
enum HTTPFieldRole: UInt8, Sendable {
    case plain
    case contentLength
    case transferEncoding
    case connection
    case host
    case upgrade
    /// Requires further processing of the response: a content coding, a cookie to store, or a policy of https.
    case demanding
    /// Frames, routes or describes the message, so it has no meaning in a trailer section.
    case headOnly

    /// Returns the role of a field by its lowercased name. Slow, so it is called once per known name.
    fileprivate init(canonicalName: String) {
        self =
            switch canonicalName {
            case "content-length": .contentLength
            case "transfer-encoding": .transferEncoding
            case "connection": .connection
            case "host": .host
            case "upgrade": .upgrade
            case "content-encoding", "set-cookie", "strict-transport-security": .demanding
            case "keep-alive", "proxy-connection", "te", "trailer", "content-type", "content-range",
                "proxy-authenticate", "www-authenticate":
                .headOnly
            default: .plain
            }
    }

    /// Whether the field is dropped from a trailer section (RFC 9110 §6.5.1).
    var isForbiddenInTrailers: Bool { self != .plain }
}

/// Common response field names, created once, so that receiving one costs neither a String nor a validation.
///
/// Only the two usual spellings, `Content-Type` and `content-type`, are in the table, because `HTTPField.Name.rawName`
/// must be the received spelling. Other spellings are built from their bytes.
struct HTTPFieldNames: Sendable {
    static let known = HTTPFieldNames()

    struct Entry: Sendable {
        let key: Key
        let name: HTTPField.Name
        let role: HTTPFieldRole
    }

    /// A spelling of at most 32 bytes. Equal keys mean equal bytes.
    struct Key: Equatable, Sendable {
        let length: Int
        let first: UInt64
        let last: UInt64
        let second: UInt64
        let third: UInt64
    }

    private static let slotCount = 1024
    private let slots: [UInt8]
    private let entries: [Entry]

    private init() {
        var slots = [UInt8](repeating: 0, count: Self.slotCount)
        var entries: [Entry] = []
        for spelling in Self.spellings {
            for spelling in [spelling, spelling.lowercased()] {
                guard let name = HTTPField.Name(spelling) else { continue }
                let key = Array(spelling.utf8).withUnsafeBytes { Key($0, 0..<$0.count) }
                guard let key else { continue }
                var slot = key.hash
                while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
                entries.append(Entry(key: key, name: name, role: HTTPFieldRole(canonicalName: name.canonicalName)))
                slots[slot] = UInt8(entries.count)
            }
        }
        self.slots = slots
        self.entries = entries
    }

    /// Returns the entry spelled exactly as the bytes in `range`, or `nil`.
    @inline(__always)
    func entry(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Entry? {
        guard let key = Key(bytes, range) else { return nil }
        var slot = key.hash
        // There are far fewer entries than slots, so an empty slot ends every search.
        while true {
            let index = Int(slots[slot])
            if index == 0 { return nil }
            if entries[index &- 1].key == key { return entries[index &- 1] }
            slot = (slot &+ 1) & (Self.slotCount &- 1)
        }
    }

    /// Returns the role of a field whose spelling is not in the table. All names with a role are in it in lower case.
    func role(of name: HTTPField.Name) -> HTTPFieldRole {
        var canonicalName = name.canonicalName
        return canonicalName.withUTF8 { bytes in
            entry(UnsafeRawBufferPointer(bytes), 0..<bytes.count)?.role ?? .plain
        }
    }

    /// At most 127 names, since an entry's index is stored in one byte.
    private static let spellings: [String] = [
        "Accept-Ranges", "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers",
        "Access-Control-Allow-Methods", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
        "Access-Control-Max-Age", "Age", "Allow", "Alt-Svc", "Authentication-Info", "Cache-Control",
        "CDN-Cache-Control",
        "CF-Cache-Status", "CF-RAY", "Clear-Site-Data", "Connection", "Content-Disposition", "Content-Encoding",
        "Content-Language", "Content-Length", "Content-Location", "Content-Range", "Content-Security-Policy",
        "Content-Type", "Cross-Origin-Embedder-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy",
        "Date", "Digest", "ETag", "Expires", "Host", "Keep-Alive", "Last-Modified", "Link", "Location", "NEL",
        "Origin-Trial",
        "P3P", "Permissions-Policy", "Pragma", "Priority", "Proxy-Authenticate", "Proxy-Connection", "Referrer-Policy",
        "Report-To", "Reporting-Endpoints", "Retry-After", "Server", "Server-Timing", "Set-Cookie", "SourceMap",
        "Strict-Transport-Security", "TE", "Timing-Allow-Origin", "Trailer", "Transfer-Encoding", "Upgrade", "Vary",
        "Via",
        "Warning", "WWW-Authenticate", "X-Amz-Cf-Id", "X-Amz-Cf-Pop", "X-Amz-Request-Id", "X-Cache", "X-Cache-Hits",
        "X-Content-Type-Options", "X-DNS-Prefetch-Control", "X-Frame-Options", "X-GitHub-Request-Id", "X-Powered-By",
        "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id", "X-Robots-Tag", "X-Runtime",
        "X-Served-By", "X-Timer", "X-UA-Compatible", "X-XSS-Protection",
    ]
}

extension HTTPField.Name {
    /// The fields that, in a request, have no meaning after the head, or send credentials (RFC 9110 §6.5.1). A redirect
    /// would not remove credentials from the trailers.
    private static let headOnlyInRequests: Set<String> = [
        "authorization", "cache-control", "cookie", "expect", "if-match", "if-modified-since", "if-none-match",
        "if-range", "if-unmodified-since", "max-forwards", "pragma", "proxy-authorization", "range",
    ]

    /// Whether the field can't be sent in the trailer section of a request.
    var isForbiddenInRequestTrailers: Bool {
        HTTPFieldNames.known.role(of: self).isForbiddenInTrailers || Self.headOnlyInRequests.contains(canonicalName)
    }
}

extension HTTPFieldNames.Key {
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        let start = range.lowerBound
        let count = range.count
        var first: UInt64 = 0
        var last: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        // The words overlap if the length is no multiple of their size. With the length, they cover every byte.
        switch count {
        case 8...32:
            first = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            last = bytes.loadUnaligned(fromByteOffset: start &+ count &- 8, as: UInt64.self)
            if count > 16 { second = bytes.loadUnaligned(fromByteOffset: start &+ 8, as: UInt64.self) }
            if count > 24 { third = bytes.loadUnaligned(fromByteOffset: start &+ 16, as: UInt64.self) }
        case 4...7:
            first = UInt64(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
            last = UInt64(bytes.loadUnaligned(fromByteOffset: start &+ count &- 4, as: UInt32.self))
        case 1...3:
            first = UInt64(bytes[start]) | UInt64(bytes[start &+ count &- 1]) &<< 8
            last = UInt64(bytes[start &+ (count &>> 1)])
        default:
            return nil
        }
        self.init(length: count, first: first, last: last, second: second, third: third)
    }

    @inline(__always)
    var hash: Int {
        let mixed = (first ^ (last &<< 7) ^ (last &>> 57) ^ second ^ UInt64(length)) &* 0x9E37_79B9_7F4A_7C15
        return Int(mixed &>> 54)
    }
}
