package import ApusCore
internal import ApusPlatform
package import Foundation

/// The length and the SHA-256 digest of a file, by which its contents are recognized.
package struct FileFingerprint: Codable, Hashable, Sendable {
    /// The size of one read.
    private static let bufferBytes = 256 << 10

    package let byteCount: Int64
    /// 64 lowercase hexadecimal digits.
    package let sha256: String

    package init(byteCount: Int64, sha256: String) {
        self.byteCount = byteCount
        self.sha256 = sha256
    }

    /// Reads a whole file. Blocks.
    ///
    /// - Throws: `ApusError`: `fileUnreadable`, also if it is a symbolic link or no regular file, or `cancelled` if the
    ///   task is cancelled.
    package init(of file: URL) throws(ApusError) {
        let path = file.path(percentEncoded: false)
        // A pipe without a writer must not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure("can't be opened", path, errno) }
        defer { close(descriptor) }
        guard let status = FileStatus(descriptor: descriptor), status.kind == .regular else {
            throw ApusError(.fileUnreadable, "'\(path)' is not a regular file").with(fileAt: path)
        }
        var digest = DigestStream(.sha256)
        var total: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            // A long file takes seconds. A cancelled request would be abandoned meanwhile, with its part still locked.
            if Task.isCancelled { throw ApusError(.cancelled, "its task was cancelled") }
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("can't be read", path, errno) }
            if count == 0 { break }
            digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            total += Int64(count)
        }
        self.byteCount = total
        self.sha256 = digest.finish().map { $0.padded(to: 2, radix: 16) }.joined()
    }

    /// Returns whether a file has this length and this digest. Blocks. The file is only read if it has the length.
    package func matches(_ file: URL) -> Bool {
        guard FileStatus(path: file.path(percentEncoded: false))?.size == byteCount else { return false }
        return (try? FileFingerprint(of: file)) == self
    }

    private static func failure(_ problem: String, _ path: String, _ code: Int32) -> ApusError {
        ApusError(.fileUnreadable, "'\(path)' \(problem): \(String(cString: strerror(code)))").with(fileAt: path)
    }
}
