internal import ApusCore
internal import HTTPTypes

extension CurlCommand {
    /// Returns the redacted body of a request. `nil` if there is nothing to redact.
    ///
    /// A placeholder replaces streams, bodies with trailers, long bodies, and bodies that are not text, have parts, or
    /// are coded or a token.
    static func shownContent(of request: RequestMessage, _ view: HARView) -> Content? {
        switch request.body.storage {
        case .none, .file: return nil
        case .replayable, .once, .trailed: return .bytes(mark(for: request))
        case .bytes(let chunk):
            guard chunk.count <= argumentBytes else { return .bytes(mark(for: request)) }
            let bytes = chunk.withUnsafeBytes { Array($0) }
            let shape = ContentShape(bytes, contentType: request.fields[.contentType])
            let isClosed = shape.hasParts || shape.isToken || request.fields.contains(.contentEncoding)
            guard !isClosed, let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
                return .bytes(mark(for: request))
            }
            return .bytes(Array((shape.isForm ? view.query(text) : view.text(text)).utf8))
        }
    }

    /// A placeholder with the kind and length of the body.
    private static func mark(for request: RequestMessage) -> [UInt8] { Array("<\(request.body)>".utf8) }
}
