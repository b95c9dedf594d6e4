/// The treatment of a field in an HTTP/2 request.
enum HTTP2FieldRule {
    /// Written, and remembered in the table of the connection's lines.
    case indexed
    /// Written, but not remembered: its value is rarely sent twice.
    case notIndexed
    /// Written, but remembered by no recipient, since its value is a secret (RFC 7541 §7.1.3).
    case neverIndexed
    /// Written as one line for each cookie.
    case cookie
    /// Left out unless the request has a body.
    case expect
    /// Reduced to `trailers`, the only member that HTTP/2 allows.
    case te
    /// Left out. Its value becomes `:authority`.
    case host
    /// Left out: Content-Length and Transfer-Encoding, which must agree with the body's framing.
    case framing
    /// Left out, together with the fields that it names.
    case connection
    /// Left out, since it concerns a single HTTP/1.1 connection, or a proxy: HTTP/2 is spoken to origins only.
    case leftOut

    /// Returns the treatment of the field with a lowercased name. Compares the length first.
    init(_ name: String) {
        switch name.utf8.count {
        case 2 where name == "te": self = .te
        case 4 where name == "host": self = .host
        case 4 where name == "date": self = .notIndexed
        case 5 where name == "range": self = .notIndexed
        case 6 where name == "cookie": self = .cookie
        case 6 where name == "expect": self = .expect
        case 7 where name == "upgrade": self = .leftOut
        case 10 where name == "connection": self = .connection
        case 10 where name == "keep-alive": self = .leftOut
        case 10 where name == "tracestate": self = .notIndexed
        case 11 where name == "traceparent": self = .notIndexed
        case 12 where name == "x-request-id": self = .notIndexed
        case 13 where name == "authorization": self = .neverIndexed
        case 14 where name == "content-length": self = .framing
        case 15 where name == "idempotency-key": self = .notIndexed
        case 16 where name == "proxy-connection": self = .leftOut
        case 17 where name == "transfer-encoding": self = .framing
        case 19 where name == "proxy-authorization": self = .leftOut
        default: self = Self.isCondition(name) ? .notIndexed : .indexed
        }
    }

    /// Returns whether the field makes a request conditional, as `if-match` does.
    private static func isCondition(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "i") && name.utf8.starts(with: "if-".utf8)
    }
}
