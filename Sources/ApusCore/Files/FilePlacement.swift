internal import ApusPlatform
internal import Foundation

/// The ways in which a new file gets its place: the checks before it is written, its temporary name, and the move to
/// its destination. All functions block.
enum FilePlacement {
    /// The size of one read of a copy.
    private static let copiedBytes = 1 << 20

    // MARK: Before writing

    /// Checks a destination before there is a body, and creates its folder if that is allowed. A file that appears
    /// later is detected by `move`.
    ///
    /// - Returns: The path of the destination.
    /// - Throws: `ApusError`: `fileUnwritable`, or `fileExists`.
    static func prepare(_ url: URL, replaces: Bool, makesFolders: Bool) throws(ApusError) -> String {
        let path = try path(of: url)
        if makesFolders { try makeFolder(folder(of: path)) }
        try check(path, replaces: replaces)
        return path
    }

    /// Returns the path of a file URL that names a file. Rejects a NUL, at which the system would cut the path off.
    static func path(of url: URL) throws(ApusError) -> String {
        let shown = Redaction.url(url.absoluteString)
        guard url.isFileURL else {
            throw ApusError(.fileUnwritable, "'\(shown)' is not a file URL").with(file: url)
        }
        let path = url.path(percentEncoded: false)
        guard !path.isEmpty, path.utf8.last != UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw ApusError(.fileUnwritable, "'\(shown)' does not name a file").with(file: url)
        }
        return path
    }

    /// Returns the folder of a path, with a trailing slash. Empty if the path has no folder.
    static func folder(of path: String) -> String {
        // Search scalars, not characters: a slash followed by a combining mark is another character, but still
        // separates folders.
        let scalars = path.unicodeScalars
        return scalars.lastIndex(of: "/").map { String(scalars[...$0]) } ?? ""
    }

    /// Returns a random path in a folder. The name of the destination may have the maximum length already, so it is
    /// not part of this one.
    static func temporaryPath(in folder: String) -> String {
        folder + ".apus-\(UInt64.random(in: 0 ... .max)).part"
    }

    /// Throws if no file could be created beside `path`. Changes nothing.
    static func checkFolder(of path: String) throws(ApusError) {
        let folder = folder(of: path)
        guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else {
            throw failure("can't be created", path, errno)
        }
    }

    /// Checks that nothing exists at `path`, or that it may be replaced. A symbolic link is itself replaced.
    private static func check(_ path: String, replaces: Bool) throws(ApusError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            // The temporary name is shorter, so the file could be written, but not be moved.
            if errno == ENAMETOOLONG { throw failure("can't be created", path, ENAMETOOLONG) }
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFLNK: if !replaces { throw taken(path) }
        case S_IFDIR:
            throw ApusError(.fileUnwritable, "'\(path)' is a folder; name a file in it").with(fileAt: path)
        default:
            throw ApusError(.fileUnwritable, "'\(path)' is a device or other special file and can't be replaced")
                .with(fileAt: path)
        }
    }

    private static func makeFolder(_ path: String) throws(ApusError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ApusError(.fileUnwritable, "the folder '\(path)' can't be created", underlying: error)
                .with(fileAt: path)
        }
    }

    // MARK: The move

    /// Moves a file to its destination. Renaming replaces an existing file. Creating a link fails if there is one.
    ///
    /// - Returns: 0, or the `errno` code for `failure(ofMoveTo:_:)`. The file then has its old name.
    static func move(_ path: String, to destination: String, replaces: Bool) -> Int32 {
        if replaces { return rename(path, destination) == 0 ? 0 : errno }
        guard link(path, destination) == 0 else {
            let code = errno
            // Some file systems do not support links.
            return code == EEXIST || code == EXDEV ? code : move(path, toFree: destination)
        }
        unlink(path)
        return 0
    }

    /// Moves a file to a free destination without a link. It first creates an empty file there exclusively, which
    /// claims the name, and then replaces that file.
    static func move(_ path: String, toFree destination: String) -> Int32 {
        let claim = open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard claim >= 0 else { return errno }
        close(claim)
        guard rename(path, destination) == 0 else {
            let code = errno
            unlink(destination)
            return code
        }
        return 0
    }

    /// Copies an open file to a destination on another file system. The copy has a temporary name until it is complete.
    ///
    /// - Returns: The failure. No copy is left then.
    static func copy(_ descriptor: Int32, to destination: String, replaces: Bool) -> ApusError? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return failure("can't be created", destination, errno) }
        let temporary = temporaryPath(in: folder(of: destination))
        let target = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0o777)
        guard target >= 0 else { return failure("can't be created", destination, errno) }
        var code = transfer(descriptor, to: target)
        // A file that is renamed before it is on the disk may be empty after a crash.
        if code == 0, fsync(target) != 0 { code = errno }
        if close(target) != 0, code == 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            return failure("can't be written", destination, code)
        }
        code = move(temporary, to: destination, replaces: replaces)
        guard code == 0 else {
            unlink(temporary)
            return failure(ofMoveTo: destination, code)
        }
        return nil
    }

    /// Copies all bytes. Returns 0 or the `errno` code.
    private static func transfer(_ source: Int32, to target: Int32) -> Int32 {
        var buffer = [UInt8](repeating: 0, count: copiedBytes)
        var offset: Int64 = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { pread(source, $0.baseAddress, $0.count, off_t(offset)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? 0 : errno }
            let code = PrivateFile.put(Data(buffer[..<count]), into: target)
            guard code == 0 else { return code }
            offset += Int64(count)
        }
    }

    /// Makes changes of the names in the folder of `path` durable, if the file system supports it.
    static func settleFolder(of path: String) {
        let folder = folder(of: path)
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    // MARK: Errors

    /// Returns the error of a move.
    static func failure(ofMoveTo destination: String, _ code: Int32) -> ApusError {
        code == EEXIST ? taken(destination) : failure("can't be moved into place", destination, code)
    }

    /// Returns an error of the file at `path`, from an `errno` code.
    static func failure(_ problem: String, _ path: String, _ code: Int32) -> ApusError {
        ApusError(.fileUnwritable, "'\(path)' \(problem): \(String(cString: strerror(code)))").with(fileAt: path)
    }

    private static func taken(_ path: String) -> ApusError {
        ApusError(.fileExists, "'\(path)' already exists; remove it, or use removePreviousFile").with(fileAt: path)
    }
}
