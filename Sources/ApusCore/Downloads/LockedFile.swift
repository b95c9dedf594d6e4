internal import ApusPlatform
internal import Foundation

/// A regular file that is open for writing, and locked against other downloads of this and other processes.
///
/// The lock is that of `flock`. It belongs to the descriptor, and the system releases it when the descriptor is closed
/// or the process ends. All functions block.
struct LockedFile: Sendable {
    /// The files that may be opened.
    enum Opening: Sendable {
        /// An existing file, or a new one.
        case existingOrNew
        /// An existing file.
        case existing
        /// A new file.
        case new

        fileprivate var flags: Int32 {
            switch self {
            case .existingOrNew: O_CREAT
            case .existing: 0
            case .new: O_CREAT | O_EXCL
            }
        }
    }

    /// The number of attempts to open a file that others move at the same time.
    private static let attemptCount = 16
    /// The size of one read.
    private static let chunkBytes = (512 - 4) << 10

    let descriptor: Int32
    /// The size of the file when it was opened.
    let byteCount: Int64

    /// Opens and locks a file. Never waits for a lock or for the other end of a pipe.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A symbolic link is not followed.
    ///   - opening: The files that may be opened.
    ///   - destination: The later path of the file.
    /// - Returns: The file, whose descriptor the caller closes.
    /// - Throws: `ApusError`: `fileUnwritable`, also if the file has other names (hard links), or `fileInUse` if it is
    ///   locked by another download.
    static func acquire(
        _ path: String,
        _ opening: Opening,
        for destination: String
    ) throws(ApusError) -> LockedFile {
        for _ in 0..<attemptCount {
            let flags = opening.flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
            let descriptor = open(path, flags, 0o666)
            guard descriptor >= 0 else { throw refusal(of: path, opening, for: destination, errno) }
            do throws(ApusError) {
                if let byteCount = try lock(descriptor, at: path, opening, for: destination) {
                    // Never overwrite bytes unless the caller has chosen another position.
                    lseek(descriptor, 0, SEEK_END)
                    return LockedFile(descriptor: descriptor, byteCount: byteCount)
                }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
        throw busy(path)
    }

    /// Whether the path still leads to this file.
    func isNamed(_ path: String) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && Self.leads(path, to: status)
    }

    /// The current size of the file. `nil` if it can't be inspected.
    var currentByteCount: Int64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Reads the bytes that begin at an offset. Returns an empty chunk at the end of the file.
    func bytes(at offset: Int64, of path: String) -> Result<BodyChunk, ApusError> {
        var failure: Int32 = 0
        let chunk = BodyChunk(alignedUninitializedCapacity: Self.chunkBytes) { memory in
            while true {
                let count = pread(descriptor, memory.baseAddress, Self.chunkBytes, off_t(offset))
                if count >= 0 { return count }
                failure = errno
                guard failure == EINTR else { return 0 }
                failure = 0
            }
        }
        guard failure == 0 else {
            let words = String(cString: strerror(failure))
            return .failure(ApusError(.fileUnreadable, "'\(path)' can't be read: \(words)").with(fileAt: path))
        }
        return .success(chunk)
    }

    /// Locks an open file. Returns its size, or `nil` if its path led to another file before it was locked.
    private static func lock(
        _ descriptor: Int32,
        at path: String,
        _ opening: Opening,
        for destination: String
    ) throws(ApusError) -> Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FilePlacement.failure("can't be opened", path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw special(path) }
        // A file system without locks reports another error. Its files are used without one.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw busy(path) }
        // Another download may have grown the file, or moved it to its destination.
        guard fstat(descriptor, &status) == 0, leads(path, to: status) else { return nil }
        guard status.st_nlink > 1 else { return Int64(status.st_size) }
        guard opening == .existingOrNew, leads(destination, to: status) else {
            throw ApusError(
                .fileUnwritable,
                "'\(path)' has other names (hard links), whose contents would change too; remove it"
            )
            .with(fileAt: path)
        }
        // A download was killed after the link at its destination was made.
        unlink(path)
        return nil
    }

    /// Whether a path leads to that file, without following a symbolic link.
    private static func leads(_ path: String, to file: stat) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino
    }

    /// Returns the error of a file that could not be opened. If none exists, its folder is at fault.
    private static func refusal(
        of path: String,
        _ opening: Opening,
        for destination: String,
        _ code: Int32
    ) -> ApusError {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            return opening == .existing
                ? FilePlacement.failure("can't be opened", path, code)
                : FilePlacement.failure("can't be created", destination, code)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return FilePlacement.failure("can't be opened", path, code)
        case S_IFLNK:
            return ApusError(.fileUnwritable, "'\(path)' is a symbolic link, which no download follows; remove it")
                .with(fileAt: path)
        default: return special(path)
        }
    }

    private static func special(_ path: String) -> ApusError {
        ApusError(.fileUnwritable, "'\(path)' is not a regular file; remove it").with(fileAt: path)
    }

    private static func busy(_ path: String) -> ApusError {
        ApusError(.fileInUse, "'\(path)' is in use: another download writes to it").with(fileAt: path)
    }
}
