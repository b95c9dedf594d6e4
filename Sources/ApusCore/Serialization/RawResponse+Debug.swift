internal import Foundation
internal import HTTPTypes

extension RawResponse {
    /// Texts up to this many bytes are shown, longer ones cut.
    private static let shownBytes = 2048

    /// Request, answer, contents that are text, times and result, with secrets taken out.
    func debugDescription<Value>(serializationDuration: Duration, result: Result<Value, ApusError>) -> String {
        var lines: [String] = []
        if let request {
            lines.append("[Request]: \(request.method.rawValue) \(Redaction.url(request.target.uri))")
            lines += Self.lines(of: request.fields)
            lines.append("[Request content]: \(Self.shown(request.body, request.fields))")
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
        case .memory(let data): lines.append("[Content]: \(Self.shown(data, head?.fields ?? [:]))")
        case .file(let file): lines.append("[File]: \(file.destination.path(percentEncoded: false))")
        case nil: lines.append("[Content]: none")
        }
        lines.append("[Network duration]: \(metrics.duration.spoken)")
        lines.append("[Serialization duration]: \(serializationDuration.spoken)")
        switch result {
        case .success: lines.append("[Result]: success, \(Value.self)")
        case .failure(let error): lines.append("[Result]: \(error.debugDescription)")
        }
        return lines.joined(separator: "\n")
    }

    /// Sorted, so that two descriptions can be compared.
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
        // Who has decoding off, or codes by himself, has a text that nobody can read.
        guard !data.isEmpty, type?.isText == true, type?.isToken != true, !fields.contains(.contentEncoding) else {
            return size
        }
        let isCut = data.count > shownBytes
        let shown = Redaction.content(text(data.prefix(shownBytes), isCut: isCut))
            .split(separator: "\n", omittingEmptySubsequences: false)
        return ([size] + shown.map { "    \($0)" }).joined(separator: "\n") + (isCut ? "…" : "")
    }

    /// Without half a character at its end, and without what steers the terminal that it may be shown on.
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
    /// Whether people can read it.
    fileprivate var isText: Bool {
        type == "text" || ["json", "xml", "x-www-form-urlencoded"].contains(subtype)
            || subtype.hasSuffix("+json") || subtype.hasSuffix("+xml")
    }
}
