internal import Apus

/// The request body built from the items of the command line, and its media type.
struct ItemContent: Equatable {
    var content: RequestContent
    /// The media type, if the file name determines it.
    var mediaType: String?

    /// Builds the body. Reads the files that items name, except files that are sent as they are.
    init(_ items: [RequestItem], style: ContentStyle, files: Files) throws(CommandFault) {
        let items = items.filter { $0.kind.isContent }
        if let item = items.first(where: { $0.kind == .file && ($0.name.isEmpty || style.isJSON) }) {
            (content, mediaType) = try Self.file(item, among: items, style: style, files: files)
            return
        }
        mediaType = nil
        switch style {
        case .json: content = try Self.json(items, files: files)
        case .form where !items.contains { $0.kind == .file }: content = try Self.form(items, files: files)
        case .form, .multipart: content = try Self.parts(items, files: files)
        }
    }

    /// Returns a file as the whole body.
    private static func file(
        _ item: RequestItem,
        among items: [RequestItem],
        style: ContentStyle,
        files: Files
    ) throws(CommandFault) -> (RequestContent, mediaType: String?) {
        let (name, mediaType) = try item.upload()
        guard item.name.isEmpty else {
            throw CommandFault(
                """
                the item '\(item.source)' has a name before its '@'; add --form to upload the file as part of a form, \
                write '@\(name)' to send it as the whole body, or '\(item.name)=@\(name)' to put its text into the JSON
                """
            )
        }
        guard style != .multipart else {
            throw CommandFault(
                "the item '\(item.source)' has no name, which every part of a form needs; write 'name@\(name)'"
            )
        }
        guard items.count == 1 else {
            throw CommandFault(
                "the file '\(name)' is the whole body, so no other item can add to it; drop one of them"
                    + (style == .form ? ", or write 'name@\(name)' for a part of the form" : "")
            )
        }
        return (.file(files.path(name)), mediaType ?? MediaTypes.knownType(ofFile: name))
    }

    private static func json(_ items: [RequestItem], files: Files) throws(CommandFault) -> RequestContent {
        var tree: JSONBodyTree?
        for item in items {
            let text: [UInt8]
            switch item.kind {
            case .json, .jsonFromFile: text = try item.jsonText(files)
            default: text = JSONEscape.quoted(try item.text(files))
            }
            try JSONBodyTree.insert(text, at: NestedKey(item.name), named: item.source, into: &tree)
        }
        return tree.map { .bytes($0.encoded) } ?? .none
    }

    private static func form(_ items: [RequestItem], files: Files) throws(CommandFault) -> RequestContent {
        var fields: [(name: String, value: String)] = []
        for item in items { fields.append((item.name, try item.formValue(files))) }
        return fields.isEmpty ? .none : .bytes(FormEncoding.encode(fields))
    }

    private static func parts(_ items: [RequestItem], files: Files) throws(CommandFault) -> RequestContent {
        var parts: [FormPart] = []
        for item in items {
            guard item.kind == .file else {
                parts.append(FormPart(name: item.name, value: .text(try item.formValue(files))))
                continue
            }
            let (name, mediaType) = try item.upload()
            let type = mediaType ?? MediaTypes.knownType(ofFile: name) ?? MediaTypes.unknown
            parts.append(FormPart(name: item.name, value: .file(files.path(name), mediaType: type)))
        }
        return parts.isEmpty ? .none : .parts(parts)
    }
}

extension ContentStyle {
    fileprivate var isJSON: Bool {
        if case .json = self { true } else { false }
    }
}
