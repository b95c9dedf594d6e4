/// The head of a request as read by an `HTTP2Server`.
struct HTTP2ServerRequest: Sendable {
    /// Fields that HTTP/2 forbids in a request, and `host`, which `:authority` replaces.
    static let forbidden: Set<String> = [
        "", "connection", "host", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    /// `h2` or `http/1.1`.
    let networkProtocol: String
    /// The number of the connection, from 1.
    let connection: Int
    /// The number of the stream. 0 over HTTP/1.1.
    let stream: Int32
    let method: String
    let scheme: String
    let authority: String
    let path: String
    /// The fields in their order, with names in lower case.
    let fields: [(name: String, value: String)]

    /// Reads the lines of a header block, and checks them by RFC 9113 §8.
    init(connection: Int, stream: Int32, lines: [(name: String, value: String)]) throws(ClientFault) {
        var pseudo: [String: String] = [:]
        var fields: [(name: String, value: String)] = []
        for line in lines {
            if line.name.hasPrefix(":") {
                guard fields.isEmpty, pseudo.updateValue(line.value, forKey: line.name) == nil else {
                    throw ClientFault("\(line.name) is repeated or follows a field: \(lines)")
                }
                continue
            }
            guard !Self.forbidden.contains(line.name), line.name != "te" || line.value == "trailers" else {
                throw ClientFault("the field '\(line.name): \(line.value)' is forbidden")
            }
            fields.append(line)
        }
        guard pseudo.count == 4, let method = pseudo[":method"], let scheme = pseudo[":scheme"],
            let authority = pseudo[":authority"], let path = pseudo[":path"]
        else { throw ClientFault("the pseudo fields are wrong: \(lines)") }
        self.init("h2", connection, stream, method, scheme, authority, path, fields)
    }

    /// Reads the head of an HTTP/1.1 request, which is not checked.
    init(connection: Int, head: [String]) {
        let words = (head.first ?? "").split(separator: " ").map { String($0) }
        let fields = head.dropFirst().map { line -> (name: String, value: String) in
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            return (name: (parts.first ?? "").lowercased(), value: value)
        }
        let host = fields.first { $0.name == "host" }?.value ?? ""
        let path = words.count > 1 ? words[1] : ""
        self.init("http/1.1", connection, 0, words.first ?? "", "", host, path, fields)
    }

    private init(
        _ networkProtocol: String,
        _ connection: Int,
        _ stream: Int32,
        _ method: String,
        _ scheme: String,
        _ authority: String,
        _ path: String,
        _ fields: [(name: String, value: String)]
    ) {
        self.networkProtocol = networkProtocol
        self.connection = connection
        self.stream = stream
        self.method = method
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.fields = fields
    }

    /// The values of all lines with a name, in lower case.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// The value of the first line with a name, in lower case.
    subscript(name: String) -> String? { values(name).first }
}
