internal import Apus
internal import Foundation
internal import HTTPTypes

/// The request from the command line, before the library adds its own fields.
struct RequestPlan {
    /// The flags that affect the request.
    struct Settings {
        /// The way that items form a body.
        var style = ContentStyle.json(isExplicit: false)
        /// The scheme of a URL that has none.
        var defaultScheme = "http"
        /// The value of `--boundary`.
        var boundary: String?
        /// The value of `--raw`.
        var rawBody: String?
        /// The body from standard input.
        var input = RequestBody.none
        /// Whether a body from a pipe is needed more than once.
        var holdsPipes = false
        /// Whether the response body is saved, which requests it without a content coding.
        var isDownload = false
    }

    let method: HTTPRequest.Method
    var target: TargetURI
    var fields: HTTPFields
    /// Fields that must not be sent, even if the library would add them.
    var removedFields: Set<HTTPField.Name>
    /// The fields that were typed.
    let typedFields: HTTPFields
    /// The credentials, unless they come from a field or the URL.
    var credentials: Credentials?
    let content: RequestContent
    /// Whether neither the Content-Type nor the boundary was typed.
    let hasUsualType: Bool
    /// The multipart form, if the body is one.
    private let form: MultipartFormData?
    private let settings: Settings
    private let files: Files
    /// Whether the response body is saved.
    var isDownload: Bool { settings.isDownload }

    /// Builds the request.
    ///
    /// - Parameters:
    ///   - words: The method, the URL and the items.
    ///   - settings: The flags.
    ///   - files: Resolves the file names of items.
    /// - Throws: `CommandFault` if a part of it can't be sent.
    init(_ words: RequestWords, settings: Settings, files: Files) throws(CommandFault) {
        let items = try ItemContent(words.items, style: settings.style, files: files)
        self.settings = settings
        self.files = files
        content = try Self.content(items, settings: settings)
        method = try Self.method(words, hasInput: settings.rawBody != nil || !settings.input.isNone)
        target = try Self.target(words, settings: settings, files: files)
        var fields = Self.defaultFields(mediaType: items.mediaType, content: content, settings: settings)
        var removed: Set<HTTPField.Name> = []
        let typed = try Self.apply(words.items, to: &fields, removed: &removed, files: files)
        typedFields = fields.filter { typed.contains($0.name) }
        hasUsualType = settings.boundary == nil && !words.items.contains { $0.isContentType }
        form = try Self.form(content, settings: settings, fields: &fields, removed: removed, files: files)
        self.fields = fields
        removedFields = removed
    }

    /// Returns the request as the library's message.
    func message() throws -> RequestMessage {
        let body: RequestBody =
            switch content {
            case .none: .none
            case .bytes(let bytes): .chunk(BodyChunk(bytes))
            case .input: settings.input
            case .file(let path): try file(path)
            case .parts: try form?.makeBody() ?? .none
            }
        return RequestMessage(method: method, target: target, fields: fields, body: body)
    }

    private func file(_ path: String) throws(CommandFault) -> RequestBody {
        do throws(ApusError) {
            if let piped = try files.pipedBody(of: path, isHeld: settings.holdsPipes) { return piped }
            return try .file(URL(fileURLWithPath: path))
        } catch {
            throw CommandFault("the body can't be read from the file: \(error.detail); check the name after the '@'")
        }
    }

    private static func form(
        _ content: RequestContent,
        settings: Settings,
        fields: inout HTTPFields,
        removed: Set<HTTPField.Name>,
        files: Files
    ) throws(CommandFault) -> MultipartFormData? {
        guard case .parts(let parts) = content else {
            guard settings.boundary == nil else {
                throw CommandFault("--boundary needs a form with parts; add --multipart and items, or drop it")
            }
            return nil
        }
        var contentType = fields[.contentType]
        let form = try MultipartContent.form(
            parts,
            boundary: settings.boundary,
            contentType: &contentType
        ) { path throws(ApusError) in
            try files.pipedBody(of: path, isHeld: settings.holdsPipes)
        }
        if !removed.contains(.contentType) { fields[.contentType] = contentType }
        return form
    }

    private static func content(_ items: ItemContent, settings: Settings) throws(CommandFault) -> RequestContent {
        let sources = [
            items.content.isNone ? nil : "items",
            settings.rawBody == nil ? nil : "--raw",
            settings.input.isNone ? nil : "standard input",
        ].compactMap(\.self)
        guard sources.count < 2 else {
            let remedy = settings.input.isNone ? "drop one of them" : "use --ignore-stdin, or drop the other"
            throw CommandFault("the body comes from \(sources.joined(separator: " and from ")); \(remedy)")
        }
        if settings.style == .multipart, let source = sources.first, source != "items" {
            throw CommandFault("the body comes from \(source), which has no parts; drop --multipart")
        }
        if let raw = settings.rawBody { return raw.isEmpty ? .none : .bytes(Array(raw.utf8)) }
        return settings.input.isNone ? items.content : .input
    }

    private static func method(_ words: RequestWords, hasInput: Bool) throws(CommandFault) -> HTTPRequest.Method {
        let name = words.method(hasInput: hasInput)
        guard let method = HTTPRequest.Method(rawValue: name) else {
            throw CommandFault("'\(name)' is not a valid method")
        }
        return method
    }

    private static func target(
        _ words: RequestWords,
        settings: Settings,
        files: Files
    ) throws(CommandFault)
        -> TargetURI
    {
        let url = URLArgument.absolute(words.url, defaultScheme: settings.defaultScheme)
        var query: [URLQueryItem] = []
        for item in words.items {
            switch item.kind {
            case .query: query.append(URLQueryItem(name: item.name, value: item.value))
            case .queryFromFile:
                let text = try item.text(files).droppingLastLineFeed
                query.append(URLQueryItem(name: item.name, value: text))
            default: break
            }
        }
        do throws(ApusError) {
            return try TargetURI(url).adding(query: query)
        } catch {
            throw CommandFault("'\(Redaction.url(words.url))' is not a valid URL: \(error.detail)")
        }
    }

    private static func defaultFields(
        mediaType: String?,
        content: RequestContent,
        settings: Settings
    ) -> HTTPFields {
        var fields: HTTPFields = [.userAgent: "apus/\(ApusVersion.current)", .accept: "*/*"]
        if settings.isDownload {
            // A content coding could not be distinguished from a compressed file, and the size would be unknown.
            fields[.acceptEncoding] = "identity"
        }
        switch settings.style {
        case .json(let isExplicit):
            guard !content.isNone || isExplicit else { break }
            fields[.accept] = "application/json, */*;q=0.5"
            fields[.contentType] = mediaType ?? "application/json"
        case .multipart:
            break
        case .form:
            if case .parts = content { break }
            fields[.contentType] = mediaType ?? "application/x-www-form-urlencoded; charset=utf-8"
        }
        return fields
    }
}

extension RequestPlan {
    /// Adds the fields of the command line. They replace the defaults. Typed fields of the same name are all sent.
    ///
    /// - Returns: The names of the typed fields to send.
    private static func apply(
        _ items: [RequestItem],
        to fields: inout HTTPFields,
        removed: inout Set<HTTPField.Name>,
        files: Files
    ) throws(CommandFault) -> Set<HTTPField.Name> {
        var named: Set<HTTPField.Name> = []
        for item in items {
            let value: String
            switch item.kind {
            case .field, .emptyField: value = item.value
            case .fieldFromFile: value = try item.text(files).droppingLastLineFeed
            default: continue
            }
            let name = try fieldName(item)
            if item.kind == .field, value.isEmpty {
                fields[name] = nil
                named.remove(name)
                removed.insert(name)
                continue
            }
            if named.insert(name).inserted { fields[name] = nil }
            removed.remove(name)
            fields.append(HTTPField(name: name, value: try fieldValue(value, of: item)))
        }
        return named
    }

    private static func fieldName(_ item: RequestItem) throws(CommandFault) -> HTTPField.Name {
        guard let name = HTTPField.Name(item.name) else {
            throw CommandFault(
                "the item '\(item.source)' has invalid characters in its field name"
            )
        }
        return name
    }

    private static func fieldValue(_ value: String, of item: RequestItem) throws(CommandFault) -> String {
        let trimmed = value.trimmingCharacters(in: .whitespaces)
        guard !trimmed.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) else {
            throw CommandFault(
                "the item '\(item.source)' has a control character in its value, which is not allowed"
            )
        }
        return trimmed
    }
}

extension RequestItem {
    /// Whether the item sets or removes `Content-Type`.
    fileprivate var isContentType: Bool {
        [.field, .emptyField, .fieldFromFile].contains(kind) && name.lowercased() == "content-type"
    }
}

extension String {
    /// The text without the line feeds that editors put at the end of a file.
    fileprivate var droppingLastLineFeed: String {
        var text = self[...]
        while text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        return String(text)
    }
}
