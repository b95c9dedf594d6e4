internal import Apus
internal import Foundation

/// The line of JSON about a download of a queue that has ended.
///
/// ```json
/// {"url":"https://example.org/a.zip","file":"/data/a.zip","bytes":5,"sha256":"ba78…","error":null}
/// ```
///
/// Each line has all members, in this order. `file` is the destination, also if it could not be saved. The URL and the
/// error are without secrets.
struct QueueLine: Equatable {
    var url: String?
    var file: String?
    var byteCount: Int64?
    var sha256: String?
    var error: String?

    /// Creates the line of a file that was saved.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - transfer: Its transfer, or `nil` if it is not known.
    init(_ file: TransferredFile, of transfer: Transfer?) {
        self.init(transfer)
        self.file = file.url.path(percentEncoded: false)
        byteCount = file.byteCount
        sha256 = file.sha256
    }

    /// Creates the line of a failure.
    ///
    /// - Parameters:
    ///   - error: The error in one sentence.
    ///   - transfer: The transfer, or `nil` if it is not known.
    init(error: String, of transfer: Transfer?) {
        self.init(transfer)
        self.error = error
    }

    private init(_ transfer: Transfer?) {
        url = transfer.map { Redaction.url($0.url) }
        file = transfer?.destination.path(percentEncoded: false)
    }

    /// The line with its line feed.
    var text: String {
        let members = [
            ("url", Self.quoted(url)), ("file", Self.quoted(file)), ("bytes", byteCount.map { "\($0)" } ?? "null"),
            ("sha256", Self.quoted(sha256)), ("error", Self.quoted(error)),
        ]
        let object = "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
        // It escapes the characters that control a terminal as JSON does.
        return TerminalText.line(object) + "\n"
    }

    private static func quoted(_ text: String?) -> String {
        guard let text else { return "null" }
        return String(decoding: JSONEscape.quoted(text), as: UTF8.self)
    }
}
