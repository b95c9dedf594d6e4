public import Foundation

/// The file of a finished transfer.
public struct TransferredFile: Sendable, Hashable {
    /// The location of the file.
    public let url: URL
    /// The size of the file in bytes.
    public let byteCount: Int64
    /// The SHA-256 digest of the file, in 64 lowercase hexadecimal digits.
    public let sha256: String

    init(at url: URL, _ fingerprint: FileFingerprint) {
        self.url = url
        self.byteCount = fingerprint.byteCount
        self.sha256 = fingerprint.sha256
    }
}
