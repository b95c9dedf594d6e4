internal import Foundation
internal import HTTPTypes

extension CurlCommand {
    /// What stands for the content of a request where its secrets are not shown; `nil` where nothing has to.
    ///
    /// A content that is no text, that has parts, or that is coded can't be searched for secrets. A token is one as a whole.
    static func shownContent(of request: RequestMessage, _ view: HARView) -> Content? {
        switch request.body.storage {
        case .none, .file: return nil
        case .replayable, .once: return .bytes(mark(for: request))
        case .bytes(let chunk):
            let type = request.fields[.contentType].flatMap { MediaType($0) }
            let isClosed =
                type?.type == "multipart" || type?.isToken == true || request.fields.contains(.contentEncoding)
            guard !isClosed, chunk.count <= argumentBytes,
                let text = String(validating: chunk.withUnsafeBytes { Array($0) }, as: UTF8.self), !text.contains("\0")
            else { return .bytes(mark(for: request)) }
            let isForm = type.map { "\($0.type)/\($0.subtype)" } == "application/x-www-form-urlencoded"
            return .bytes(Array((isForm ? view.query(text) : view.text(text)).utf8))
        }
    }

    /// Its kind and length.
    private static func mark(for request: RequestMessage) -> [UInt8] { Array("<\(request.body)>".utf8) }
}
