internal import ApusJSON
internal import Foundation
internal import HTTPTypes

extension RawResponse {
    /// The maximum number of bytes shown of a text body.
    private static let shownBytes = 2048

    /// Returns a description of request, response, text bodies, times and result, with secrets removed.
    func debugDescription<Value>(serializationDuration: Duration, result: Result<Value, ApusError>) -> String {
        var lines: [String] = []
        if let request {
            lines.append("[Request]: \(request.method.rawValue) \(Redaction.url(request.target.uri))")
            lines += Self.lines(of: request.fields)
            lines.append("[Request body]: \(Self.shown(request.body, request.fields))")
        } else {
            lines.append("[Request]: none")
        }
        if let head {
            lines.append("[Response]: \(head.status.code) \(head.status.reasonPhrase)")
            lines += Self.lines(of: head.fields)
        } else {
            lines.append("[Response]: none")
        }
        switch content {
        case .memory(let data): lines.append("[Body]: \(Self.shown(data, head?.fields ?? [:]))")
        case .file(let file): lines.append("[File]: \(file.destination.path(percentEncoded: false))")
        case nil: lines.append("[Body]: none")
        }
        lines.append("[Network duration]: \(metrics.duration.formatted)")
        lines.append("[Serialization duration]: \(serializationDuration.formatted)")
        switch result {
        case .success: lines.append("[Result]: success, \(Value.self)")
        case .failure(let error): lines.append("[Result]: \(error.debugDescription)")
        }
        return lines.joined(separator: "\n")
    }

    /// Sorted, so that descriptions can be compared.
    private static func lines(of fields: HTTPFields) -> [String] {
        Redaction.fields(fields).map { "    \($0.name): \($0.value)" }.sorted()
    }

    private static func shown(_ body: RequestBody, _ fields: HTTPFields) -> String {
        guard case .bytes(let chunk) = body.storage else {
            return body.isNone ? "none" : body.length.map { "\($0) bytes" } ?? "of unknown length"
        }
        return shown(Data(chunk), fields)
    }

    private static func shown(_ data: Data, _ fields: HTTPFields) -> String {
        let size = "\(data.count) bytes"
        let type = fields[.contentType].flatMap { MediaType($0) }
        // A body that is still coded is not readable text.
        guard !data.isEmpty, type?.isText == true, type?.isToken != true, !fields.contains(.contentEncoding) else {
            return size
        }
        let isCut = data.count > shownBytes
        let shown = Redaction.content(text(data.prefix(shownBytes), isCut: isCut))
            .split(separator: "\n", omittingEmptySubsequences: false)
        return ([size] + shown.map { "    \($0)" }).joined(separator: "\n") + (isCut ? "…" : "")
    }

    /// Removes a partial character at the end, and characters that control a terminal.
    private static func text(_ data: Data, isCut: Bool) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in String(decoding: data, as: UTF8.self).unicodeScalars
        where !ControlCharacters.steers(scalar.value) {
            scalars.append(scalar)
        }
        if isCut, scalars.last == "\u{FFFD}" { scalars.removeLast() }
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
