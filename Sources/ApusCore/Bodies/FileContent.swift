package import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file that is to be sent: what it was when the request was made.
package struct FileContent: Sendable {
    /// What must not have changed between making the request and sending it.
    package struct Identity: Sendable, Hashable {
        package let size: Int64
        package let modificationSeconds: Int64
        package let modificationNanoseconds: Int64
    }

    package let url: URL
    package let identity: Identity
    /// The bytes to send; `nil` is the whole file, whose size only reading it tells.
    package let range: Range<Int64>?

    /// How many bytes there are to send; `nil` where only reading them tells.
    package var length: Int64? { range.map { $0.upperBound - $0.lowerBound } }

    init(_ url: URL, range: Range<Int64>?) throws(ApusError) {
        let path = url.path(percentEncoded: false)
        guard url.isFileURL else {
            throw ApusError(.fileUnreadable, "'\(url.absoluteString)' is no file URL")
        }
        var identity = try Self.identity(of: path)
        guard access(path, R_OK) == 0 else {
            throw ApusError(.fileUnreadable, "'\(path)' may not be read: \(String(cString: strerror(errno)))")
        }
        self.url = url
        if range == nil, identity.size == 0, let found = try Self.identityOfContent(path) {
            guard found.size > 0 else {
                self.identity = found
                self.range = nil
                return
            }
            // The file was written to in between.
            identity = found
        }
        let range = range ?? 0..<identity.size
        guard range.lowerBound >= 0, range.upperBound <= identity.size else {
            throw ApusError(
                .fileUnreadable,
                "'\(path)' has \(identity.size) bytes, fewer than the range \(range) asks for"
            )
        }
        self.identity = identity
        self.range = range
    }

    /// The identity of a file that has bytes though the system gives its size as 0, as it does for procfs and for some
    /// network mounts; `nil` where the file is empty.
    private static func identityOfContent(_ path: String) throws(ApusError) -> Identity? {
        // Reading may not block here.
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

    /// What the file is now.
    package static func identity(of path: String) throws(ApusError) -> Identity {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ApusError(.fileUnreadable, "'\(path)' can't be opened: \(String(cString: strerror(errno)))")
        }
        return try Identity(status, path: path)
    }

    /// The open file, where it still is what it was.
    package static func verify(descriptor: Int32, is file: FileContent) throws(ApusError) {
        var status = stat()
        let path = file.url.path(percentEncoded: false)
        guard fstat(descriptor, &status) == 0 else {
            throw ApusError(.fileUnreadable, "'\(path)' can't be looked at: \(String(cString: strerror(errno)))")
        }
        let identity = try Identity(status, path: path)
        // Without a size the time of change means nothing either.
        guard identity == file.identity || file.range == nil && identity.size == 0 else {
            throw ApusError(.fileChanged, "'\(path)' is no longer what it was when the request was made")
        }
    }
}

extension FileContent.Identity {
    fileprivate init(_ status: stat, path: String) throws(ApusError) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ApusError(.fileUnreadable, "'\(path)' is no regular file")
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
