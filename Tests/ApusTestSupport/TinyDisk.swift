internal import ApusPlatform
package import Foundation

/// A file system in memory with a fixed size, in a temporary folder. Needs Linux and the rights of root.
package final class TinyDisk: Sendable {
    struct Fault: Error {
        let code: Int32
    }

    /// Whether a file system can be mounted.
    package static let isAvailable = (try? TinyDisk(byteCount: 1 << 20)) != nil

    private let folder: TemporaryFolder

    /// Mounts a file system of that size, rounded up to whole pages.
    package init(byteCount: Int) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        #if os(Linux)
            let path = folder.url.path(percentEncoded: false)
            let result = "size=\(byteCount)".withCString { mount("tmpfs", path, "tmpfs", 0, $0) }
            guard result == 0 else { throw Fault(code: errno) }
        #else
            throw Fault(code: ENOTSUP)
        #endif
    }

    deinit {
        #if os(Linux)
            // Also if a file is still open.
            umount2(folder.url.path(percentEncoded: false), 2)
        #endif
    }

    /// Returns the URL of a file on the disk.
    package func url(_ name: String) -> URL { folder.url(name) }

    /// The sorted names of the files on the disk.
    package var names: [String] { get throws { try folder.names } }

    /// Fills the rest of the disk with a file.
    package func fill(_ name: String) throws {
        let path = url(name).path(percentEncoded: false)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(code: errno) }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
    }
}
