internal import Apus
internal import HTTPTypes

/// The head of a message for display, with its fields as on the wire.
///
/// The version is shown as HTTP/1.1 unless it is known to be HTTP/2. The library accepts HTTP/1.0 responses, but does not
/// report their version.
struct MessageHead: Sendable {
    /// A piece of the first line, and its role.
    struct Piece: Sendable {
        let text: String
        let role: Palette.Role?
    }

    struct Line: Sendable {
        let name: String
        let value: [UInt8]
    }

    private(set) var start: [Piece]
    let fields: [Line]

    /// Creates the head of a request, including the fields that the transport writes: `Host` first, the framing last.
    init(_ request: RequestMessage) {
        start = [
            Piece(text: request.method.rawValue, role: .method), Piece(text: " ", role: nil),
            Piece(text: request.target.path, role: .target), Piece(text: " ", role: nil),
            Piece(text: "HTTP/1.1", role: .version),
        ]
        let host = request.fields.first { $0.name.canonicalName == "host" }?.value ?? request.target.authority
        let framing = MessageFraming(request)
        var written: Set = ["host", "content-length", "transfer-encoding"]
        // RFC 9110 §10.1.1: no `Expect` without a body.
        if framing.isEmpty { written.insert("expect") }
        var fields = [Line(name: "Host", value: Array(host.utf8))]
        fields += request.fields.filter { !written.contains($0.name.canonicalName) }.map(Line.init)
        if let (name, value) = framing.field { fields.append(Line(name: name, value: Array(value.utf8))) }
        self.fields = fields
    }

    /// Creates the head of a response.
    ///
    /// - Parameters:
    ///   - status: The status code and reason phrase.
    ///   - fields: The fields as received.
    init(status: HTTPResponse.Status, fields: HTTPFields) {
        let phrase = status.reasonPhrase
        start = [
            Piece(text: "HTTP/1.1", role: .version), Piece(text: " ", role: nil),
            Piece(
                text: phrase.isEmpty ? "\(status.code)" : "\(status.code) \(phrase)",
                role: Palette.role(ofStatus: status.code)
            ),
        ]
        self.fields = fields.map(Line.init)
    }
}

extension MessageHead {
    /// Returns the head with the version of a protocol, given by its ALPN name.
    func spoken(in networkProtocol: String?) -> MessageHead {
        guard networkProtocol == "h2" else { return self }
        var head = self
        head.start = start.map { $0.role == .version ? Piece(text: "HTTP/2", role: .version) : $0 }
        return head
    }
}

extension MessageHead.Line {
    fileprivate init(_ field: HTTPField) {
        name = field.name.rawName
        value = field.withUnsafeBytesOfValue { Array($0) }
    }
}

extension MessageHead {
    /// Returns the bytes to write, including the empty line after the head.
    ///
    /// - Parameters:
    ///   - palette: The colors.
    ///   - isSafe: Whether to escape control characters and end lines with a line feed, for a terminal.
    ///   - sortsFields: Whether to sort the fields by name.
    /// - Returns: The bytes.
    func bytes(palette: Palette, isSafe: Bool, sortsFields: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        let lineEnd: [UInt8] = isSafe ? [0x0A] : [0x0D, 0x0A]
        for piece in start {
            let text = isSafe ? TerminalText.line(piece.text) : piece.text
            if let role = piece.role {
                palette.paint(text, as: role, into: &output)
            } else {
                output += Array(text.utf8)
            }
        }
        output += lineEnd
        for field in sortsFields ? sortedFields : fields {
            palette.paint(field.name, as: .fieldName, into: &output)
            output += [UInt8(ascii: ":"), 0x20]
            output += isSafe ? Array(TerminalText.line(String(decoding: field.value, as: UTF8.self)).utf8) : field.value
            output += lineEnd
        }
        return output + lineEnd
    }

    /// The fields sorted by name. Equal names keep their order.
    private var sortedFields: [Line] {
        fields.enumerated().map { (name: $1.name.lowercased(), offset: $0, field: $1) }
            .sorted { ($0.name, $0.offset) < ($1.name, $1.offset) }
            .map(\.field)
    }
}
