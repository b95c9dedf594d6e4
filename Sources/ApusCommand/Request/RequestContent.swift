internal import Apus
internal import Foundation

/// The content of the request.
enum RequestContent: Equatable {
    case none
    case bytes([UInt8])
    /// The path of a file, to be sent without holding it in memory.
    case file(String)

    var isNone: Bool { self == .none }
}

/// How items become content.
enum ContentStyle: Equatable {
    /// A JSON object; with `isExplicit`, the fields say so without any content.
    case json(isExplicit: Bool)
    /// `name=value&…`
    case form
}

/// The content that the items of the command line add up to, and the media type that goes with it.
struct ItemContent: Equatable {
    var content: RequestContent
    /// The media type where the file's name tells it.
    var mediaType: String?

    /// Puts the content together, reading the files that items name.
    init(_ items: [RequestItem], style: ContentStyle, files: Files) throws(CommandFault) {
        let items = items.filter { $0.kind.isContent }
        if let item = items.first(where: { $0.kind == .file }) {
            (content, mediaType) = try Self.file(item, among: items, style: style, files: files)
            return
        }
        mediaType = nil
        switch style {
        case .json: content = try Self.json(items, files: files)
        case .form: content = try Self.form(items, files: files)
        }
    }

    private static func file(
        _ item: RequestItem,
        among items: [RequestItem],
        style: ContentStyle,
        files: Files
    ) throws(CommandFault) -> (RequestContent, mediaType: String?) {
        guard item.name.isEmpty else {
            let sentence =
                switch style {
                case .form:
                    """
                    the item '\(item.source)' would upload a file as part of a form, which is not supported yet; \
                    write '@\(item.value)' to send it as the whole body
                    """
                case .json:
                    """
                    the item '\(item.source)' has a name ahead of its '@'; write '@\(item.value)' to send the file, \
                    or '\(item.name)=@\(item.value)' to put its text into the JSON
                    """
                }
            throw CommandFault(sentence)
        }
        guard items.count == 1 else {
            throw CommandFault(
                "the file '\(item.value)' is the whole body, so no other item can add to it; drop one of them"
            )
        }
        let parts = item.value.split(separator: ";type=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        return (.file(files.path(name)), parts.count > 1 ? String(parts[1]) : MediaTypes.type(ofFile: name))
    }

    private static func json(_ items: [RequestItem], files: Files) throws(CommandFault) -> RequestContent {
        var tree: JSONTree?
        for item in items {
            let text: [UInt8]
            switch item.kind {
            case .json, .jsonFromFile: text = try item.jsonText(files)
            default: text = JSONEscape.quoted(try item.text(files))
            }
            try JSONTree.insert(text, at: NestedKey(item.name), named: item.source, into: &tree)
        }
        return tree.map { .bytes($0.encoded) } ?? .none
    }

    private static func form(_ items: [RequestItem], files: Files) throws(CommandFault) -> RequestContent {
        var fields: [(name: String, value: String)] = []
        for item in items {
            switch item.kind {
            case .json, .jsonFromFile: fields.append((item.name, try item.plainValue(files)))
            default: fields.append((item.name, try item.text(files)))
            }
        }
        return fields.isEmpty ? .none : .bytes(FormEncoding.encode(fields))
    }
}

extension RequestItem {
    /// The value itself, or the text of the file that it names.
    func text(_ files: Files) throws(CommandFault) -> String {
        switch kind {
        case .fieldFromFile, .queryFromFile, .textFromFile, .jsonFromFile:
            try files.text(of: value, for: "the item '\(source)'")
        default: value
        }
    }

    /// The value as JSON text, checked.
    fileprivate func jsonText(_ files: Files) throws(CommandFault) -> [UInt8] {
        let text = Array(try text(files).utf8)
        var reader = JSONReader(depthLimit: JSONFormatter.depthLimit)
        do throws(JSONReader.Fault) {
            while try reader.next(in: text) != nil {}
        } catch {
            let place = kind == .json ? "" : "in '\(value)' "
            throw CommandFault(
                """
                the item '\(source)' needs JSON behind its ':=', but \(place)\(error.reason), at byte \
                \(error.offset); write = for plain text
                """
            )
        }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
        let start = text.firstIndex { !isSpace($0) } ?? 0
        let end = text.lastIndex { !isSpace($0) } ?? 0
        return Array(text[start...end])
    }

    /// A number, word or string of JSON as a form writes it.
    fileprivate func plainValue(_ files: Files) throws(CommandFault) -> String {
        let text = try jsonText(files)
        switch text.first {
        case UInt8(ascii: "\""):
            // Checked already, so that there is nothing left to refuse but a lone surrogate.
            if let string = try? JSONValue(parsing: Data(text)).string { return string }
        case UInt8(ascii: "{"), UInt8(ascii: "["): break
        default: return String(decoding: text, as: UTF8.self)
        }
        throw CommandFault(
            "the item '\(source)' is more than a string, number or word, but a form has only text; write = for := there"
        )
    }
}
