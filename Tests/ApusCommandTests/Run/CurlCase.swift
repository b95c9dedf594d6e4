import ApusTestServer
import Testing

@testable import ApusCommand

/// One request with values that may need quoting for a shell, a terminal or curl.
///
/// It is built without parsing arguments, because in debug builds parsing takes longer than the rest of the test.
struct CurlCase {
    private var invocation: Invocation
    private var input: [UInt8]?

    private static let pieces = [
        "'", "\"", "\\", "$", "`", "!", "@", "-", "#", "&", ";", "|", "*", "?", "~", " ", "\n", "\t", "ü", "🚀", "%",
        "\u{1B}[2J", "\u{9B}", "\u{202E}", "%s", "\\n", "$(id)", "{", "}", "[", "]", "<", ">", "^", "=", ":", ",", "a",
        "\r\n", "\u{7F}", "!!", "$HOME", "'\\''", "\\\\", "/", "../", "%2e%2E/", "é\u{301}", "--data", "@-", "\u{1}",
    ]
    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "PROPFIND", nil, nil, nil]
    private static let fields = [
        "Accept:", "User-Agent:", "Accept-Encoding:", "Content-Type:", "Content-Type:a/b", "Host:x.y", "X-E;",
    ]
    /// The files that the folder of the cases must contain.
    static let files = ["it's \"b\\in\",;x.bin", "-@.txt"]

    /// Sends the request, and returns the output of `--curl` for it.
    func run(in folder: String) async throws -> String {
        let (response, command, error) = (RecordingSink(), RecordingSink(), RecordingSink())
        var console = Console(
            workingDirectory: folder,
            input: input.map { .bytes($0) } ?? .terminal,
            output: OutputChannel(response),
            error: OutputChannel(error)
        )
        #expect(try await Run(invocation: invocation, console: console).run() == .success)
        console.output = OutputChannel(command)
        var printing = invocation
        printing.showsCurl = true
        #expect(try await Run(invocation: printing, console: console).run() == .success)
        #expect(error.bytes.isEmpty)
        return command.text
    }

    init(origin: String, using generator: inout SeededGenerator) throws {
        let method = Self.pick(Self.methods, &generator)
        let path = Self.chance(2, &generator) ? "/x" : "/\(Self.visible(Self.text(&generator)))"
        var words = try RequestWords([origin + path])
        words.method = method
        invocation = Invocation(words: words)
        var items: [String] = []
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            // The value must neither name a file nor end the field.
            let value = "v\(Self.visible(Self.text(&generator)))."
            items.append("X-\(Self.pick(["A", "B!$'`", "C"], &generator)):\(value)")
        }
        for field in Self.fields where Self.chance(8, &generator) { items.append(field) }
        for _ in 0..<Int.random(in: 0...2, using: &generator) { items.append("q==\(Self.value(&generator))") }
        if Self.chance(5, &generator) { invocation.auth = "\(Self.text(&generator)):\(Self.text(&generator))" }
        invocation.follow = Self.chance(6, &generator)
        if method != "HEAD" { addBody(&items, &generator) }
        if Self.chance(6, &generator) {
            invocation.compression = .always
            // In a compressed body, a generated boundary could not be ignored in the comparison.
            invocation.boundary = invocation.style == .multipart ? "x" : nil
        }
        for item in items { words.items.append(try RequestItem(item)) }
        invocation.words = words
    }

    private mutating func addBody(_ items: inout [String], _ generator: inout SeededGenerator) {
        let names = ["a", "a b", "ü'\"", "-x"]
        switch Int.random(in: 0...7, using: &generator) {
        case 0: invocation.rawBody = Self.text(&generator)
        case 1: for name in names { items.append("\(name)=\(Self.value(&generator))") }
        case 2:
            invocation.style = .form
            for name in names { items.append("\(name)=\(Self.value(&generator))") }
        case 3:
            let count = Int.random(in: 1...40, using: &generator)
            input = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        case 4: items.append("@\(Self.pick(Self.files, &generator))")
        case 5, 6:
            invocation.style = .multipart
            if Self.chance(4, &generator) { invocation.boundary = "x'(+_,-./:=?y" }
            for name in Self.chance(2, &generator) ? names : ["a", "b c", "ü'$`!"] where Self.chance(2, &generator) {
                items.append("\(name)=\(Self.value(&generator))")
            }
            if Self.chance(2, &generator) { items.append("f@\(Self.files[1])") }
            if Self.chance(3, &generator) {
                items.append("f@\(Self.files[0]);type=\(Self.pick(["a/b", "a/b;c=d"], &generator))")
            }
            items.append("last=\(Self.value(&generator))")
        default: break
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in pick(pieces, &generator) }.joined()
    }

    /// Returns a value of an item that cannot be taken for the name of a file.
    private static func value(_ generator: inout SeededGenerator) -> String {
        let text = text(&generator)
        return text.hasPrefix("@") || text.hasPrefix("=") ? "\\" + text : text
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

extension CurlCase {
    /// Values that a shell, a terminal, the grammar of items or curl could misinterpret.
    static let values = [
        "", "it's", "'", "\"x\"", "a\nb", "\n", "$HOME", "$(id)", "`id`", "!!", "a!b",
        "ü日本🚀e\u{301}",
        "@value.txt", "@", "@-", "-", "--", "-x", "--data @x", "<value.txt", "\\", "a\\", "\\n\\0", "%41%s%", "a=b&c+d",
        " ",
        " a ", "a;type", "a;filename=c", "a,b", "[1-3]{a,b}", "~", "*?", "#x", "a/../b", "a\tb", "\r\n", "\u{1B}[2J",
        "\u{9B}31m", "\u{202E}", "\u{7F}", "a\0b\r\n", "{\"a\": 1}", "<a>&amp;</a>",
        String(repeating: "long ", count: 20_000),
    ]

    /// The part of a request that a value is used in.
    enum Position: CaseIterable {
        case head, rawBody, compressed, input, json, form, multipart, boundary, file, compressedFile, part
    }

    /// Creates a request with a value in every position of one part.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - position: The part.
    ///   - fileName: The name of a file that contains the value. The name may contain it too.
    ///   - origin: The origin of the server.
    /// - Throws: An error if the request is invalid.
    init(_ value: String, in position: Position, fileName: String, origin: String) throws {
        let item = { (kind: RequestItem.Kind, name: String, value: String) in
            RequestItem(kind: kind, name: name, value: value, source: "the case")
        }
        let name = String(value.prefix(100))
        var invocation = Invocation(words: try RequestWords([origin]))
        var items: [RequestItem] = []
        switch position {
        case .head:
            let path = Self.visible(name).replacing("#", with: "").replacing("?", with: "")
            invocation.words = try RequestWords(["\(origin)/\(path)"])
            invocation.auth = "u\(name.replacing(":", with: "")):\(name)"
            items = [
                item(.query, "q\(name)", name), item(.query, name, ""), item(.field, "X-A", "v\(Self.visible(name))"),
            ]
        case .rawBody, .compressed:
            invocation.rawBody = value
            invocation.compression = position == .compressed ? .always : .off
        case .input: input = Array(value.utf8)
        case .json:
            let key = name.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
            items = [
                item(.text, "n", value), item(.text, "k\(key)", ""), item(.text, "a[b][]", value),
                item(.json, "a[b][]", "[1.0]"), item(.textFromFile, "f", fileName),
            ]
        case .form:
            invocation.style = .form
            items = [item(.text, "n", value), item(.text, name, "v"), item(.textFromFile, "f", fileName)]
        case .multipart, .boundary:
            invocation.style = .multipart
            invocation.boundary = position == .boundary ? "x'y" : nil
            items = [item(.text, "n", value), item(.text, "m", "v"), item(.textFromFile, "f", fileName)]
            // curl cannot express such a name in a form, so the case is sent differently.
            if position == .boundary { items.append(item(.text, name, "v")) }
        case .file, .compressedFile:
            items = [item(.file, "", fileName)]
            invocation.compression = position == .compressedFile ? .always : .off
        case .part:
            invocation.style = .form
            items = [
                item(.file, "n", fileName), item(.file, "m", "\(fileName);type=a/b"), item(.text, "l\(name)", "v"),
            ]
        }
        invocation.words.method = "POST"
        invocation.words.items = items
        self.invocation = invocation
    }
}
