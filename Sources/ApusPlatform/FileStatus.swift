/// The properties of a file, as `stat` returns them.
///
/// A type of its own, since other modules include the same header of the C library. A file whose imports lead to several
/// of them can't name the members of its types.
package struct FileStatus: Hashable, Sendable {
    /// The kind of a file.
    package enum Kind: Sendable {
        case regular
        case folder
        case pipe
        case characterDevice
        case other
    }

    package let kind: Kind
    /// The size in bytes.
    package let size: Int64
    /// The permissions of its owner, its group and others.
    package let permissions: UInt16
    /// The device and the number of the file, which identify it together.
    package let identity: Identity

    package struct Identity: Hashable, Sendable {
        let device: UInt64
        let number: UInt64
    }

    /// Returns the properties of the file at a path. `nil`, with `errno`, if they can't be read.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Returns the properties of an open file. `nil`, with `errno`, if they can't be read.
    package init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether something has this path, also a link that leads nowhere.
    package static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private init(_ status: stat) {
        self.kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFIFO: .pipe
            case S_IFCHR: .characterDevice
            default: .other
            }
        self.size = Int64(status.st_size)
        self.permissions = UInt16(truncatingIfNeeded: status.st_mode & 0o777)
        self.identity = Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            number: UInt64(truncatingIfNeeded: status.st_ino)
        )
    }
}
