/// The state of a connection as a client sees it after some frames of a server, in the common form of all clients.
struct HTTP2Outcome: Equatable {
    /// The end of a response.
    enum End: String {
        case open
        case complete
        case resetByServer = "reset by the server"
        case excluded = "excluded by GOAWAY"
    }

    struct Stream: Equatable {
        /// The statuses of informational responses.
        var informational: [String] = []
        var status: String?
        var fields: [String] = []
        var body: [UInt8] = []
        var trailers: [String] = []
        var end = End.open
        /// Whether the client has sent RST_STREAM.
        var isReset = false
    }

    /// Whether the client has ended the connection with an error.
    var isFailed = false
    /// The streams that the client has opened.
    var streams: [Int32: Stream] = [:]

    init(_ requests: [HTTP2Case.Request]) {
        for request in requests { streams[request.stream] = Stream() }
    }

    /// The streams that the client has reset.
    var resets: Set<Int32> { Set(streams.keys.filter { (id: Int32) -> Bool in streams[id]?.isReset == true }) }
}

extension HTTP2Outcome: CustomStringConvertible {
    var description: String {
        let lines = streams.keys.sorted().compactMap { (id: Int32) -> String? in
            streams[id].map { (stream: Stream) -> String in "\(id): \(stream)" }
        }
        return (isFailed ? "failed; " : "") + lines.joined(separator: "; ")
    }
}

extension HTTP2Outcome.Stream: CustomStringConvertible {
    var description: String {
        var parts = informational
        parts.append(status ?? "no head")
        parts += fields
        if !body.isEmpty { parts.append("\(body.count) bytes") }
        parts += trailers.map { (line: String) -> String in "trailer \(line)" }
        parts.append(end.rawValue)
        if isReset { parts.append("reset by the client") }
        return parts.joined(separator: ", ")
    }
}

extension HTTP2Outcome {
    /// The kinds of verdicts, by severity.
    enum Verdict: Int, CaseIterable {
        case accepted
        case streamError
        case connectionError

        var name: String {
            switch self {
            case .accepted: "accepted"
            case .streamError: "stream error"
            case .connectionError: "connection error"
            }
        }
    }

    /// Returns the verdict on the frames since an earlier outcome.
    func verdict(since earlier: HTTP2Outcome) -> Verdict {
        if isFailed { return .connectionError }
        return resets.isSubset(of: earlier.resets) ? .accepted : .streamError
    }
}

/// The common form of fields. Clients differ in it without a reason in HTTP/2.
enum HTTP2OutcomeFields {
    /// Fields that frame, route or describe a message. Apus drops them from trailers, in which they have no meaning
    /// (RFC 9110 §6.5.1).
    private static let headOnly: Set<String> = [
        "connection", "content-encoding", "content-length", "content-range", "content-type", "host", "keep-alive",
        "proxy-authenticate", "proxy-connection", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade",
        "www-authenticate",
    ]

    /// Returns the lines of a head. A repeated Content-Length is one line with one number, as RFC 9110 §8.6 allows.
    static func head(_ fields: [(name: String, value: String)]) -> [String] {
        var lines: [String] = []
        var hasLength = false
        for (name, value) in fields {
            guard name == "content-length" else {
                lines.append(line(name, value))
                continue
            }
            if hasLength { continue }
            hasLength = true
            let digits = value.utf8.prefix { (octet: UInt8) -> Bool in octet != 0x2C }
            lines.append(line(name, String(decoding: digits.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self)))
        }
        return lines
    }

    /// Returns the lines of a trailer section.
    static func trailers(_ fields: [(name: String, value: String)]) -> [String] {
        var lines: [String] = []
        for (name, value) in fields where !headOnly.contains(name) { lines.append(line(name, value)) }
        return lines
    }

    /// Returns a line in which question marks replace bytes that are not ASCII, which clients decode differently.
    private static func line(_ name: String, _ value: String) -> String {
        var octets = Array("\(name): ".utf8)
        for octet in value.utf8 {
            if octet < 0x80 {
                octets.append(octet)
            } else if octets.last != 0x3F {
                octets.append(0x3F)
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
