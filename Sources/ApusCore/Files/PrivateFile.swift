internal import ApusPlatform
package import Foundation

/// A small file, readable by its owner only, that is read and written as a whole.
///
/// `PartialFile` writes chunks, which may take hours. This type finishes within one call, in the order of calls.
package struct PrivateFile {
    /// The largest file that is read. The limits of a cookie jar keep its file far below this.
    private static let largestFile = 64 << 20

    private let path: String
    private let followsLinks: Bool
    private let limitBytes: Int

    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - code: The error code if the URL is not a file URL.
    /// - Throws: `ApusError` with that code.
    package init(_ url: URL, or code: ApusError.Code) throws(ApusError) {
        let path = url.path(percentEncoded: false)
        guard url.isFileURL, !path.isEmpty, path.utf8.last != UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw ApusError(code, "'\(Redaction.url(url.absoluteString))' does not name a file").with(file: url)
        }
        self.init(at: path, followsLinks: true, limitBytes: Self.largestFile)
    }

    /// - Parameters:
    ///   - path: The path of the file.
    ///   - followsLinks: Whether to read and replace the file that a symbolic link points to. If not, a link can't be
    ///     read, and is itself replaced.
    ///   - limitBytes: The size of the largest file that is read, in whole MiB.
    init(at path: String, followsLinks: Bool, limitBytes: Int) {
        self.path = path
        self.followsLinks = followsLinks
        self.limitBytes = limitBytes
    }

    /// Returns the data of the file, or `nil` if it does not exist.
    package func read() throws(ApusError) -> Data? {
        // Do not block on a pipe that has no writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(.fileUnreadable, "can't be opened", errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(.fileUnreadable, "can't be read", errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= off_t(limitBytes) else {
            throw ApusError(
                .fileUnreadable,
                "'\(path)' is not a regular file of at most \(limitBytes >> 20) MiB; it was not changed"
            )
            .with(fileAt: path)
        }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Self.retrying { buffer.withUnsafeMutableBytes { readBytes(descriptor, $0) } }
            guard count >= 0 else { throw failure(.fileUnreadable, "can't be read", errno) }
            if count == 0 { return data }
            data.append(contentsOf: buffer[..<count])
            // The file may have grown since its size was checked.
            guard data.count <= limitBytes else {
                throw ApusError(.fileUnreadable, "'\(path)' grew while it was read").with(fileAt: path)
            }
        }
    }

    /// Replaces the contents of the file, or of the file that a symbolic link points to, if links are followed. If this
    /// fails, the old file is kept and no temporary file is left behind.
    ///
    /// - Parameters:
    ///   - data: The contents.
    ///   - temporary: The path of the new file until it is complete, on the same file system. A file of that name is
    ///     removed, so that a kill leaves at most this one. Default: `nil`, a random name in the folder of the file.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    package func write(_ data: Data, through temporary: String? = nil) throws(ApusError) {
        let path = try place()
        if let temporary { unlink(temporary) }
        let temporary = temporary ?? FilePlacement.temporaryPath(in: FilePlacement.folder(of: path))
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(.fileUnwritable, "can't be created", errno) }
        var code = Self.put(data, into: descriptor)
        // A file that is renamed before it is on the disk may be empty after a crash.
        if code == 0, fsync(descriptor) != 0 { code = errno }
        if close(descriptor) != 0, code == 0 { code = errno }
        if code == 0, rename(temporary, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            throw failure(.fileUnwritable, "can't be written", code)
        }
        FilePlacement.settleFolder(of: path)
    }

    /// Throws if the file could not be written. Changes nothing.
    package func checkFolder() throws(ApusError) {
        let folder = FilePlacement.folder(of: try place())
        guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else {
            throw failure(.fileUnwritable, "can't be created", errno)
        }
    }

    /// Returns the path with all links resolved. Throws unless it is that of a regular file or of a missing one.
    private func place() throws(ApusError) -> String {
        guard followsLinks else { return path }
        var place = path
        // The limit of Linux on symbolic links.
        for _ in 0...40 {
            var status = stat()
            guard lstat(place, &status) == 0 else {
                if errno == ENOENT { return place }
                throw failure(.fileUnwritable, "can't be written", errno)
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return place
            case S_IFLNK:
                guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: place), !link.isEmpty else {
                    throw failure(.fileUnwritable, "can't be written", ENOENT)
                }
                place = link.utf8.first == UInt8(ascii: "/") ? link : FilePlacement.folder(of: place) + link
            default:
                throw ApusError(.fileUnwritable, "'\(path)' is not a regular file; it was not changed")
                    .with(fileAt: path)
            }
        }
        throw failure(.fileUnwritable, "can't be written", ELOOP)
    }

    /// Writes all data. Returns zero or the error number.
    static func put(_ data: Data, into descriptor: Int32) -> Int32 {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = retrying { writeBytes(descriptor, UnsafeRawBufferPointer(rebasing: rest)) }
                guard count > 0 else { return errno == 0 ? EIO : errno }
                rest = rest.dropFirst(count)
            }
            return 0
        }
    }

    private static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private func failure(_ code: ApusError.Code, _ problem: String, _ number: Int32) -> ApusError {
        ApusError(code, "'\(path)' \(problem): \(String(cString: strerror(number)))").with(fileAt: path)
    }
}

/// Wrappers for system calls whose names would be shadowed by the methods above.
private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func writeBytes(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    write(descriptor, buffer.baseAddress, buffer.count)
}
