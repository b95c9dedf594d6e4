internal import ApusCore

/// The failure of a transfer, as it is kept on disk.
public struct TransferFailure: Sendable, Hashable, Codable {
    /// The name of the error's code, such as `connectFailed`.
    public let code: String
    /// The error in one sentence, without secrets.
    public let text: String

    init(_ error: ApusError) {
        self.code = error.code.name
        self.text = String(decoding: error.description.utf8.prefix(QueueLimits.failureBytes), as: UTF8.self)
    }
}
