internal import Apus
internal import ApusCore
internal import Foundation

extension MockResponse {
    /// Creates the response of a recorded exchange.
    ///
    /// - Throws: `ApusError` with the code `connectFailed` if the archive has no response, or not its body.
    init(_ entry: HTTPArchive.Entry, to request: RequestMessage) throws(ApusError) {
        let recorded = entry.response
        guard (200...999).contains(recorded.status) else {
            let reason = recorded.error.map(Self.shown) ?? "no response was recorded"
            throw ApusError(.connectFailed, "the archived exchange of \(request) failed: \(reason)")
        }
        let status = HTTPResponse.Status(code: recorded.status, reasonPhrase: recorded.statusText)
        let fields = Self.fields(recorded)
        let hasContent = request.method != .head && ![204, 304].contains(recorded.status)
        guard hasContent else {
            self.init(status: status, fields: fields, chunks: [])
            return
        }
        let data = try Self.content(recorded, request)
        let chunks = data.isEmpty ? [] : [BodyChunk(data)]
        self.init(status: status, fields: Self.adapted(fields, to: data, recorded), chunks: chunks)
    }

    private static func fields(_ recorded: HTTPArchive.Response) -> HTTPFields {
        var fields: HTTPFields = [:]
        for header in recorded.headers {
            // Some browsers join the values of a repeated field with line feeds.
            let values = header.value.split(separator: "\n")
            // An invalid field, such as `:status`, is left out.
            for value in values.isEmpty ? [""] : values { try? fields.append(checking: header.name, String(value)) }
        }
        return fields
    }

    /// Returns the recorded body.
    private static func content(
        _ recorded: HTTPArchive.Response,
        _ request: RequestMessage
    ) throws(ApusError) -> Data {
        let content = recorded.content
        if let data = content.data { return data }
        // The body of a redirect is discarded anyway.
        let isNeeded = content.text != nil || (content.size ?? 0) > 0 && !(300...399).contains(recorded.status)
        guard isNeeded else { return Data() }
        let reason = content.comment.map { ": \(Self.shown($0))" } ?? ""
        throw ApusError(.connectFailed, "the archive has no body of the response to \(request)\(reason)")
    }

    /// Returns a text of the archive for use in an error.
    private static func shown(_ text: String) -> String { Excerpt.sentence(Redaction.text(text)) }

    /// Returns the fields for a body as the archive has it.
    private static func adapted(
        _ fields: HTTPFields,
        to data: Data,
        _ recorded: HTTPArchive.Response
    ) -> HTTPFields {
        var fields = fields
        fields[.transferEncoding] = nil
        if fields.contains(.contentLength) { fields[.contentLength] = "\(data.count)" }
        let content = recorded.content
        let isText = content.encoding != "base64"
        // A body that was recorded without decoding has the size that was received.
        let isCoded = !isText && content.compression == nil && content.size != nil && content.size == recorded.bodySize
        if !isCoded { fields[.contentEncoding] = nil }
        let type = fields[.contentType] ?? ""
        if isText, let charset = FieldParameters.value(of: "charset", in: type), charset.lowercased() != "utf-8",
            data.contains(where: { $0 >= 0x80 })
        {
            let mediaType = type.prefix { $0 != ";" }
            fields[.contentType] = "\(mediaType); charset=utf-8"
        }
        return fields
    }
}
