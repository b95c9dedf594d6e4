internal import ApusCore
internal import ApusPlatform
internal import Foundation

/// The folder of a queue, and the locations of its files.
///
/// ```
/// queue.log            the records, appended by the process that runs the queue
/// lock                 locked by that process
/// incoming/*.records   changes of all processes that were not taken up
/// ```
struct QueueFolder: Sendable {
    /// The path without a slash at its end.
    let path: String

    /// - Throws: `ApusError` with the code `fileUnwritable` if the URL does not name a folder.
    init(_ url: URL) throws(ApusError) {
        var path = url.absoluteURL.path(percentEncoded: false)
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.unicodeScalars.removeLast() }
        guard url.isFileURL, path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw ApusError(.fileUnwritable, "'\(Redaction.url(url.absoluteString))' does not name a folder")
                .with(file: url)
        }
        self.path = path
    }

    var log: String { "\(path)/queue.log" }
    var lock: String { "\(path)/lock" }
    var incoming: String { "\(path)/incoming" }

    /// Creates the folder and that of the changes, readable by their owner only. They are on the disk when the call
    /// returns. Blocks.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    func create() throws(ApusError) {
        let changed = foldersToSynchronize
        do {
            try FileManager.default.createDirectory(
                atPath: incoming,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw ApusError(.fileUnwritable, "the folder '\(incoming)' can't be created", underlying: error)
                .with(fileAt: incoming)
        }
        for folder in changed { Self.synchronize(folder) }
    }

    /// The folder, and all of those above it that get the name of a new one.
    var foldersToSynchronize: [String] {
        var folders = [path]
        var folder = path
        while folder != "/", !FileStatus.isTaken(folder) {
            let scalars = folder.unicodeScalars
            guard let slash = scalars.lastIndex(of: "/") else { break }
            folder = slash == scalars.startIndex ? "/" : String(scalars[..<slash])
            folders.append(folder)
        }
        return folders
    }

    /// Removes the new log that was not complete when a process ended. Only the process that runs the queue may call
    /// it.
    func removeIncompleteLogs() {
        unlink("\(log).new")
    }

    /// Makes changes of the names in a folder durable, if the file system supports it.
    static func synchronize(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Returns the error of a system call.
    static func failure(_ code: ApusError.Code, _ path: String, _ problem: String, _ number: Int32) -> ApusError {
        ApusError(code, "'\(path)' \(problem): \(String(cString: strerror(number)))").with(fileAt: path)
    }
}
