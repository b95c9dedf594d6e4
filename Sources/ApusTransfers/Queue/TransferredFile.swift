public import Foundation

/// The file of a finished transfer.
public struct TransferredFile: Sendable, Hashable {
    /// The location of the file.
    public let fileURL: URL
    /// The size of the file in bytes.
    public let byteCount: Int64
    /// The SHA-256 digest of the file, in 64 lowercase hexadecimal digits.
    public let sha256: String

    init(at fileURL: URL, _ fingerprint: FileFingerprint) {
        self.fileURL = fileURL
        self.byteCount = fingerprint.byteCount
        self.sha256 = fingerprint.sha256
    }
}
