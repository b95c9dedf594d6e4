internal import Apus
internal import Foundation

/// The line of JSON about a transfer of a queue that has ended.
///
/// ```json
/// {"url":"https://example.org/a.zip","file":"/data/a.zip","bytes":5,"sha256":"ba78…","error":null}
/// ```
///
/// Each line has all members, in this order. `file` is the destination, also if it could not be saved. The line of an
/// upload has its file, and two more members: the `status` and the `body` of the response. The URL and the error are
/// without secrets.
struct QueueLine: Equatable {
    /// The response in the line of an upload.
    struct Answer: Equatable {
        var status: Int?
        /// The first bytes of the body as text.
        var body: String?
    }

    var url: String?
    var file: String?
    var byteCount: Int64?
    var sha256: String?
    var error: String?
    /// The response to an upload. `nil` in the line of a download.
    var answer: Answer?

    /// Creates the line of a file that was saved.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - transfer: Its transfer, or `nil` if it is not known.
    init(_ file: TransferredFile, of transfer: Transfer?) {
        self.init(transfer)
        self.file = file.fileURL.path(percentEncoded: false)
        byteCount = file.byteCount
        sha256 = file.sha256
    }

    /// Creates the line of an upload that the server has accepted.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - transfer: The upload, or `nil` if it is not known.
    init(_ response: TransferResponse, of transfer: Transfer?) {
        self.init(transfer)
        byteCount = transfer?.upload?.byteCount
        answer = Answer(status: response.status, body: String(decoding: response.body, as: UTF8.self))
    }

    /// Creates the line of a failure.
    ///
    /// - Parameters:
    ///   - error: The error in one sentence.
    ///   - transfer: The transfer, or `nil` if it is not known.
    ///   - status: The status of the response to an upload, if there was one. Default: `nil`.
    init(error: String, of transfer: Transfer?, status: Int? = nil) {
        self.init(transfer)
        self.error = error
        answer?.status = status
    }

    private init(_ transfer: Transfer?) {
        url = transfer.map { Redaction.url($0.url) }
        file = transfer?.destination.path(percentEncoded: false)
        if transfer?.upload != nil { answer = Answer() }
    }

    /// The line with its line feed.
    var text: String {
        var members: [(name: String, value: String)] = [
            ("url", JSONLine.quoted(url)), ("file", JSONLine.quoted(file)), ("bytes", JSONLine.number(byteCount)),
            ("sha256", JSONLine.quoted(sha256)), ("error", JSONLine.quoted(error)),
        ]
        if let answer {
            members += [("status", JSONLine.number(answer.status)), ("body", JSONLine.quoted(answer.body))]
        }
        return JSONLine.text(members)
    }
}
