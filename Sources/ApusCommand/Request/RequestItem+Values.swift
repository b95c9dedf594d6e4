internal import Apus
internal import Foundation

extension RequestItem {
    /// Returns the value, or the text of the file that it names.
    func text(_ files: Files) throws(CommandFault) -> String {
        switch kind {
        case .fieldFromFile, .queryFromFile, .textFromFile, .jsonFromFile:
            try files.text(of: value, for: "the item '\(source)'")
        default: value
        }
    }

    /// Whether the file of the item is standard input.
    var namesStandardInput: Bool {
        switch kind {
        case .fieldFromFile, .queryFromFile, .textFromFile, .jsonFromFile: Files.isStandardInput(value)
        case .file: (try? upload().name).map { Files.isStandardInput($0) } ?? false
        case .field, .emptyField, .query, .text, .json: false
        }
    }

    /// Returns the file to send, and the media type after its name: `photo.bin;type=image/png`.
    func upload() throws(CommandFault) -> (name: String, mediaType: String?) {
        let halves = value.split(separator: ";type=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(halves.first ?? "")
        guard !name.isEmpty else {
            throw CommandFault("the item '\(source)' has no file name after its '@'")
        }
        guard halves.count > 1 else { return (name, nil) }
        let type = halves[1].trimmingCharacters(in: .whitespaces)
        guard !type.isEmpty, !type.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw CommandFault("the item '\(source)' needs a media type after its ';type=', like image/png")
        }
        return (name, type)
    }

    /// Returns the value as validated JSON text.
    func jsonText(_ files: Files) throws(CommandFault) -> [UInt8] {
        let text = Array(try text(files).utf8)
        var reader = JSONReader(depthLimit: JSONFormatter.depthLimit)
        do throws(JSONReader.Fault) {
            while try reader.next(in: text) != nil {}
        } catch {
            let place = kind == .json ? "" : "in '\(value)' "
            throw CommandFault(
                """
                the item '\(source)' needs JSON after its ':=', but \(place)\(error.reason), at byte \
                \(error.offset); write = for plain text
                """
            )
        }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
        let start = text.firstIndex { !isSpace($0) } ?? 0
        let end = text.lastIndex { !isSpace($0) } ?? 0
        return Array(text[start...end])
    }

    /// Returns the value for a form: text, or the text of a JSON number, word or string.
    func formValue(_ files: Files) throws(CommandFault) -> String {
        guard kind == .json || kind == .jsonFromFile else { return try text(files) }
        let text = try jsonText(files)
        switch text.first {
        case UInt8(ascii: "\""):
            // The text is valid JSON, so only a lone surrogate can fail here.
            if let string = try? JSONValue(parsing: Data(text)).string { return string }
        case UInt8(ascii: "{"), UInt8(ascii: "["): break
        default: return String(decoding: text, as: UTF8.self)
        }
        throw CommandFault(
            "the item '\(source)' is not a string, number or word, but a form has only text; write = instead of :="
        )
    }
}
