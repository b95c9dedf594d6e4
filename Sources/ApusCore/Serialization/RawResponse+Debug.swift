internal import ApusJSON
internal import Foundation
internal import HTTPTypes

extension RawResponse {
    /// The maximum number of bytes shown of a text body.
    private static let shownBytes = 2048

    /// Returns a description of request, response, text bodies, times and result, with secrets removed.
    func debugDescription<Value>(serializationDuration: Duration, result: Result<Value, ApusError>) -> String {
        var lines = debugLines(bodyBytes: data?.count ?? 0, upTo: Self.shownBytes)
        lines.append("[Serialization duration]: \(serializationDuration.formatted)")
        switch result {
        case .success: lines.append("[Result]: success, \(Value.self)")
        case .failure(let error): lines.append("[Result]: \(error.debugText(showsBody: false))")
        }
        return lines.joined(separator: "\n")
    }

    /// Returns lines about request, response, text bodies and times, with secrets removed.
    ///
    /// `byteCount` is the size of the response body, of which this result may hold only the beginning. At most `limit`
    /// bytes of each text body are shown.
    func debugLines(bodyBytes byteCount: Int, upTo limit: Int) -> [String] {
        var lines: [String] = []
        if let request {
            lines.append("[Request]: \(request.method.rawValue) \(Redaction.url(request.target.uri))")
            lines += Self.lines(of: request.fields)
            lines.append("[Request body]: \(Self.shown(request.body, request.fields, limit))")
        } else {
            lines.append("[Request]: none")
        }
        if let head {
            lines.append("[Response]: \(head.status.code) \(Redaction.text(Excerpt.of(head.status.reasonPhrase)))")
            lines += Self.lines(of: head.fields)
        } else {
            lines.append("[Response]: none")
        }
        switch content {
        case .memory(let data):
            let body = ShownBody(data.prefix(limit), of: Int64(byteCount), head?.fields ?? [:])
            lines.append("[Body]: \(Self.shown(body, byteCount))")
        case .file(let file): lines.append("[File]: \(file.destination.path(percentEncoded: false))")
        case nil: lines.append("[Body]: none")
        }
        lines.append("[Network duration]: \(metrics.duration.formatted)")
        return lines
    }

    /// Returns a line for each field, without secrets. Sorted, so that descriptions can be compared.
    static func lines(of fields: HTTPFields) -> [String] {
        Redaction.fields(fields).map { "    \($0.name): \(ShownBody.visible($0.value))" }.sorted()
    }

    private static func shown(_ body: RequestBody, _ fields: HTTPFields, _ limit: Int) -> String {
        guard let chunk = body.bytesInMemory else {
            return body.isNone ? "none" : body.length.map { "\($0) bytes" } ?? "of unknown length"
        }
        return shown(ShownBody(body, fields, upTo: limit), chunk.count)
    }

    private static func shown(_ body: ShownBody, _ byteCount: Int) -> String {
        guard let text = body.text else { return "\(byteCount) bytes" }
        return (["\(byteCount) bytes"] + indented(text)).joined(separator: "\n")
    }

    /// Returns the lines of a text, indented, so that none of them looks like a line of a log.
    static func indented(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
    }
}
