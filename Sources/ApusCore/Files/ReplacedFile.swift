internal import ApusPlatform
package import Foundation

/// A file that is replaced as a whole or not at all, by `PrivateFile`. A device or a pipe can't be replaced and is
/// written directly.
package struct ReplacedFile {
    private let url: URL
    private let path: String

    /// - Throws: `ApusError` with the code `fileUnwritable` if the URL does not name a file.
    package init(_ url: URL) throws(ApusError) {
        let path = url.path(percentEncoded: false)
        guard url.isFileURL, !path.isEmpty, !path.utf8.contains(0) else {
            throw ApusError(.fileUnwritable, "'\(Redaction.url(url.absoluteString))' does not name a file")
                .with(file: url)
        }
        self.url = url
        self.path = path
    }

    /// Replaces the contents of the file, or of the file that a symbolic link points to, readable by its owner only.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    package func write(_ data: Data) throws(ApusError) {
        guard isDevice else { return try PrivateFile(url, or: .fileUnwritable).write(data) }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        var number = PrivateFile.put(data, into: descriptor)
        if close(descriptor) != 0, number == 0 { number = errno }
        guard number == 0 else { throw failure(number) }
    }

    /// Throws if the file could not be written. Changes nothing.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    package func check() throws(ApusError) {
        if !isDevice { try PrivateFile(url, or: .fileUnwritable).checkFolder() }
    }

    /// Whether the path leads to a device, a pipe or the like, which can't be replaced.
    private var isDevice: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    private func failure(_ number: Int32) -> ApusError {
        ApusError(.fileUnwritable, "'\(path)' can't be written: \(String(cString: strerror(number)))").with(file: url)
    }
}
