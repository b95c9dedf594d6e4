internal import ApusJSON
internal import Foundation
internal import HTTPTypes

/// A body, or its beginning, as it is shown to people: its size and media type, and its text without secrets.
struct ShownBody {
    /// The bytes that may be shown. Empty for a body that is not in memory.
    private let beginning: Data
    /// The size of the whole body. `nil` if it is not known.
    private let byteCount: Int64?
    private let fields: HTTPFields
    /// The source of a body that is not in memory.
    private let source: String

    /// - Parameters:
    ///   - beginning: The bytes that may be shown.
    ///   - byteCount: The size of the whole body.
    ///   - fields: The fields of its message.
    init(_ beginning: Data, of byteCount: Int64, _ fields: HTTPFields) {
        self.beginning = beginning
        self.byteCount = byteCount
        self.fields = fields
        self.source = ""
    }

    /// - Parameters:
    ///   - body: The body of a request.
    ///   - fields: The fields of the request.
    ///   - limit: The maximum number of bytes to show.
    init(_ body: RequestBody, _ fields: HTTPFields, upTo limit: Int) {
        self.byteCount = body.length
        self.fields = fields
        if let chunk = body.bytesInMemory {
            self.beginning = Data(chunk.prefix(limit))
            self.source = ""
        } else {
            self.beginning = Data()
            self.source = body.isNone ? "" : body.isFile ? " from a file" : " from a stream"
        }
    }

    private var isCut: Bool { byteCount.map { Int64(beginning.count) < $0 } ?? true }

    /// Size, media type and coding: `1.2 kB of image/png`. `no body` if it is empty.
    var summary: String {
        guard byteCount != 0 else { return "no body" }
        let size = byteCount.map { ByteCount.text($0) } ?? "an unknown number of bytes"
        let type = mediaType.map { " of \(Excerpt.of("\($0.type)/\($0.subtype)"))" } ?? ""
        let coding = fields[.contentEncoding].map { " (\(Excerpt.of($0)))" } ?? ""
        return size + type + coding + source
    }

    /// The text. `nil` if the body is empty, is not in memory, or is not readable text. Ends in "…" if it is cut off.
    var text: String? {
        // A body that is still coded is not readable text.
        guard !beginning.isEmpty, let mediaType, mediaType.isText, !mediaType.isToken,
            !fields.contains(.contentEncoding)
        else { return nil }
        return Redaction.content(Self.visible(decoded)) + (isCut ? "…" : "")
    }

    private var mediaType: MediaType? { fields[.contentType].flatMap { MediaType($0) } }

    /// The text in its charset. Invalid bytes become U+FFFD.
    private var decoded: String {
        let stated = try? CharacterSetDecoding.charset(ofContentType: fields[.contentType])
        let charset = stated ?? ByteOrderMark(of: beginning).map { Charset($0.encoding) } ?? .utf8
        // A character that is cut off has up to three bytes.
        for dropped in 0...(isCut ? 3 : 0) {
            if let text = charset.string(beginning.dropLast(dropped)) { return text }
        }
        let text = String(decoding: beginning, as: UTF8.self)
        return isCut && text.unicodeScalars.last == "\u{FFFD}" ? String(text.unicodeScalars.dropLast()) : text
    }

    /// Returns a text without the characters that control a terminal.
    static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ControlCharacters.steers($0.value) }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !ControlCharacters.steers(scalar.value) { scalars.append(scalar) }
        return String(scalars)
    }
}

extension MediaType {
    /// Whether the media type is human-readable text.
    fileprivate var isText: Bool {
        type == "text" || ["json", "xml", "x-www-form-urlencoded"].contains(subtype)
            || subtype.hasSuffix("+json") || subtype.hasSuffix("+xml")
    }
}
