internal import ApusPlatform
package import Foundation

/// A file to be sent, with its identity at the time when the request was created.
package struct FileContent: Sendable {
    /// The properties that must not change between creating the request and sending it.
    package struct Identity: Sendable, Hashable {
        package let size: Int64
        package let modificationSeconds: Int64
        package let modificationNanoseconds: Int64
    }

    package let url: URL
    package let identity: Identity
    /// The bytes to send. `nil` sends the whole file, whose size is known only after reading it.
    package let range: Range<Int64>?
    /// Whether the file is compared after each read too, and not only when it is opened.
    package let isWatched: Bool

    /// The number of bytes to send, or `nil` if it is known only after reading the file.
    package var length: Int64? { range.map { $0.upperBound - $0.lowerBound } }

    init(_ url: URL, range: Range<Int64>?) throws(ApusError) {
        let path = url.path(percentEncoded: false)
        guard url.isFileURL else {
            throw ApusError(.fileUnreadable, "'\(url.absoluteString)' is not a file URL").with(file: url)
        }
        var identity = try Self.identity(of: path)
        guard access(path, R_OK) == 0 else {
            throw ApusError(.fileUnreadable, "'\(path)' can't be read: \(String(cString: strerror(errno)))")
                .with(file: url)
        }
        self.url = url
        self.isWatched = false
        if range == nil, identity.size == 0, let found = try Self.identityOfContent(path) {
            guard found.size > 0 else {
                self.identity = found
                self.range = nil
                return
            }
            // The file was written to between the two checks.
            identity = found
        }
        let range = range ?? 0..<identity.size
        guard range.lowerBound >= 0, range.upperBound <= identity.size else {
            throw ApusError(
                .fileUnreadable,
                "'\(path)' has only \(identity.size) bytes, fewer than the range \(range) needs"
            )
            .with(file: url)
        }
        self.identity = identity
        self.range = range
    }

    private init(url: URL, identity: Identity, range: Range<Int64>?, isWatched: Bool) {
        self.url = url
        self.identity = identity
        self.range = range
        self.isWatched = isWatched
    }

    /// The same bytes, with a file that is compared after each read too.
    var watched: FileContent { FileContent(url: url, identity: identity, range: range, isWatched: true) }

    /// Returns a part of the bytes to send, with the same identity: it is sent only if the file has not changed since.
    ///
    /// - Parameter part: The offsets of the part, from the first byte to send.
    /// - Returns: The part. `nil` for a file whose length is not known, and for a range beyond the bytes to send.
    func part(_ part: Range<Int64>) -> FileContent? {
        guard let range, part.lowerBound >= 0, part.upperBound <= range.upperBound - range.lowerBound else {
            return nil
        }
        let start = range.lowerBound
        return FileContent(
            url: url,
            identity: identity,
            range: start + part.lowerBound..<start + part.upperBound,
            isWatched: isWatched
        )
    }

    /// Returns the identity of a file that has bytes although the system reports its size as 0, as for procfs and some
    /// network mounts. Returns `nil` if the file is empty or can't be opened.
    private static func identityOfContent(_ path: String) throws(ApusError) -> Identity? {
        // Reading must not block here.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        var count = read(descriptor, &byte, 1)
        while count < 0, errno == EINTR { count = read(descriptor, &byte, 1) }
        var status = stat()
        guard count > 0 || count < 0 && errno == EAGAIN, fstat(descriptor, &status) == 0 else { return nil }
        return try Identity(status, path: path)
    }

    /// Returns the current identity of a file.
    package static func identity(of path: String) throws(ApusError) -> Identity {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ApusError(.fileUnreadable, "'\(path)' can't be opened: \(String(cString: strerror(errno)))")
                .with(fileAt: path)
        }
        return try Identity(status, path: path)
    }

    /// Compares an open file with its recorded identity. Throws `fileChanged` if they differ.
    package static func verify(descriptor: Int32, is file: FileContent) throws(ApusError) {
        var status = stat()
        let path = file.url.path(percentEncoded: false)
        guard fstat(descriptor, &status) == 0 else {
            throw ApusError(.fileUnreadable, "'\(path)' can't be inspected: \(String(cString: strerror(errno)))")
                .with(file: file.url)
        }
        let identity = try Identity(status, path: path)
        // Without a size, the modification time is meaningless too.
        guard identity == file.identity || file.range == nil && identity.size == 0 else {
            throw ApusError(.fileChanged, "'\(path)' has changed since the request was created").with(file: file.url)
        }
    }
}

extension FileContent.Identity {
    fileprivate init(_ status: stat, path: String) throws(ApusError) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ApusError(.fileUnreadable, "'\(path)' is not a regular file").with(fileAt: path)
        }
        self.size = Int64(status.st_size)
        #if canImport(Darwin)
            self.modificationSeconds = Int64(status.st_mtimespec.tv_sec)
            self.modificationNanoseconds = Int64(status.st_mtimespec.tv_nsec)
        #else
            self.modificationSeconds = Int64(status.st_mtim.tv_sec)
            self.modificationNanoseconds = Int64(status.st_mtim.tv_nsec)
        #endif
    }
}
