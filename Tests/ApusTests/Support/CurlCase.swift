import Apus
import ApusTestServer
import Foundation
import HTTPTypes

/// A request with values that may need quoting for a shell, a terminal or curl.
struct CurlCase {
    let message: RequestMessage
    /// The name of the case in failure messages.
    let label: String

    /// The files that the folder of the cases must contain.
    static let files: [(name: String, content: [UInt8])] = [
        ("it's \"b\\in\",;x.bin", (0..<300).map { UInt8(truncatingIfNeeded: $0) }), ("-@.txt", Array("text".utf8)),
        ("@empty\n", []),
    ]

    private static let pieces = [
        "'", "\"", "\\", "$", "`", "!", "@", "-", "#", "&", ";", "|", "*", "?", "~", " ", "\n", "\t", "ü", "🚀", "%",
        "\u{1B}[2J", "\u{9B}", "\u{202E}", "%s", "\\n", "$(id)", "{", "}", "[", "]", "[1-3]", "{a,b}", "<", ">", "^",
        "=", ":", ",", "a", "\r\n", "\u{7F}", "!!", "$HOME", "'\\''", "\\\\", "/", "../", "%2e%2E/", "é\u{301}",
        "--data",
        "@-", "\u{1}", "\0",
    ]
    private static let methods: [HTTPRequest.Method] = [
        .get, .get, .head, .post, .post, .put, .patch, .delete, .options, .trace,
        HTTPRequest.Method("PROPFIND") ?? .get,
    ]

    init(_ message: RequestMessage, _ label: String) {
        self.message = message
        self.label = label
    }

    /// Creates a random request.
    ///
    /// - Throws: An error if the request is invalid.
    init(number: Int, origin: String, folder: URL, using generator: inout SeededGenerator) throws {
        var fields = HTTPFields()
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let name = Self.pick(["X-A", "X-B!$'`", "X-C", "-X"], &generator)
            let value = Self.chance(5, &generator) ? "" : "v\(Self.visible(Self.text(&generator)))."
            try fields.append(checking: name, value)
        }
        if Self.chance(9, &generator) { fields[.authorization] = "Bearer \(number)'$" }
        if Self.chance(9, &generator) { try fields.append(checking: "Host", "x.y") }
        if Self.chance(9, &generator) { fields[.accept] = "text/*" }
        if Self.chance(9, &generator) { fields[.userAgent] = "it's" }
        if Self.chance(9, &generator) { fields[.cookie] = "mine='$x\"" }
        let user = Self.chance(6, &generator) ? "\(Self.userPart(&generator)):\(Self.userPart(&generator))@" : ""
        let query = Self.chance(2, &generator) ? "?\(Self.visible(Self.text(&generator)))" : ""
        let path = Self.visible(Self.text(&generator)).replacing("#", with: "").replacing("?", with: "")
        let url = "\(origin)/\(path)\(query)".replacing("http://", with: "http://\(user)")
        let method = Self.pick(Self.methods, &generator)
        var message = try RequestMessage(url, method: method, fields: RequestFields(fields))
        if Self.chance(3, &generator) {
            message = try RequestMessage(
                url,
                method: method,
                query: Self.items(&generator),
                fields: RequestFields(fields)
            )
        }
        if ![.get, .head, .trace].contains(method) || method == .get && Self.chance(6, &generator) {
            try Self.addBody(to: &message, folder, &generator)
        }
        self.init(message, "\(number): \(message)")
    }

    /// Returns requests in which each value stands alone, in each position where a body or a field can have it.
    static func ofEach(_ values: [String], origin: String, folder: URL) throws -> [CurlCase] {
        try values.enumerated().flatMap { number, value in
            let target = "\(origin)/x"
            var messages = [try RequestMessage(target, method: .post, body: .string(value))]
            messages.append(
                try RequestMessage(target, method: .put, fields: [.contentType: "a/b"], body: .string(value))
            )
            // Systems limit the length of an argument.
            let short = String(value.prefix(100))
            messages.append(try RequestMessage(target, query: [URLQueryItem(name: short, value: short)]))
            let file = folder.appending(path: "value-\(number)")
            try Data(value.utf8).write(to: file)
            messages.append(try RequestMessage(target, method: .post, body: .file(file)))
            messages.append(try form([value], file: file, target: target))
            // Longer bodies become streams when they are compressed.
            if value.utf8.count < 1 << 10 {
                messages.append(try messages[0].compressed(with: RequestCompression(minimumBytes: 0)))
            }
            var fields = HTTPFields()
            if (try? fields.append(checking: "X-A", short)) != nil {
                messages.append(try RequestMessage(target, fields: RequestFields(fields)))
            }
            return messages.map { CurlCase($0, "\(value.prefix(20).debugDescription): \($0)") }
        }
    }

    private static func form(_ texts: [String], file: URL?, target: String) throws -> RequestMessage {
        var form = MultipartFormData()
        for (number, text) in texts.enumerated() { form.append(text, withName: "n\(number)\(text.prefix(30))") }
        if let file { try form.append(file, withName: "f\(texts[0].prefix(30))") }
        form.append("end", withName: "last")
        let body = try form.makeBody()
        return try RequestMessage(target, method: .post, fields: [.contentType: form.contentType], body: body)
    }

    private static func addBody(
        to message: inout RequestMessage,
        _ folder: URL,
        _ generator: inout SeededGenerator
    ) throws {
        if chance(2, &generator) { message.fields[.contentType] = "text/plain; x=\"'\"" }
        let file = folder.appending(path: pick(files.map(\.name), &generator))
        switch Int.random(in: 0...7, using: &generator) {
        case 0: message.body = .string(text(&generator))
        case 1:
            let count = Int.random(in: 1...40, using: &generator)
            message.body = .bytes(Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }))
        case 2: message.body = try .file(file)
        case 3: message.body = try .file(folder.appending(path: files[0].name), range: 7..<100)
        case 4, 5:
            let texts = (0..<3).map { _ in text(&generator) }
            let sent = try form(texts, file: chance(2, &generator) ? file : nil, target: message.target.uri)
            message.body = sent.body
            message.fields[.contentType] = sent.fields[.contentType]
        case 6:
            message.body = .string(text(&generator) + "x")
            message = try message.compressed(with: RequestCompression(minimumBytes: 0))
        default: break
        }
    }

    private static func items(_ generator: inout SeededGenerator) -> [URLQueryItem] {
        (0..<2).map { _ in URLQueryItem(name: text(&generator), value: text(&generator)) }
    }

    /// Returns a user name or a password, without the characters that RFC 7617 forbids in both.
    private static func userPart(_ generator: inout SeededGenerator) -> String {
        let scalars = text(&generator).unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F && $0 != ":" }
        return PercentEncoding.encode(String(String.UnicodeScalarView(scalars)))
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in pick(pieces, &generator) }.joined()
    }

    /// Removes the characters that neither a field nor a URL may contain.
    private static func visible(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }

    private static func chance(_ of: Int, _ generator: inout SeededGenerator) -> Bool {
        Int.random(in: 0..<of, using: &generator) == 0
    }

    private static func pick<Value>(_ values: [Value], _ generator: inout SeededGenerator) -> Value {
        values[Int.random(in: values.indices, using: &generator)]
    }
}
