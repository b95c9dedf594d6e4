internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The file of an archive.
struct ArchiveFile {
    private let path: String

    /// - Throws: `ApusError` with `code` where the URL names no file.
    init(_ url: URL, or code: ApusError.Code) throws(ApusError) {
        guard url.isFileURL else {
            throw ApusError(code, "'\(Redaction.url(url.absoluteString))' is no file URL")
        }
        path = url.path(percentEncoded: false)
        guard !path.isEmpty, !path.utf8.contains(0) else { throw ApusError(code, "the archive has no name of a file") }
    }

    /// All of it.
    func read(limitBytes: Int) throws(ApusError) -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.fileUnreadable, "can't be opened", errno) }
        defer { close(descriptor) }
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = piece.withUnsafeMutableBytes { Self.read(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(.fileUnreadable, "can't be read", errno) }
            guard count > 0 else { return data }
            data.append(contentsOf: piece[..<count])
            guard data.count <= limitBytes else {
                let limit = "larger than \(limitBytes) bytes; raise limitBytes to accept it"
                throw ApusError(.fileUnreadable, "the archive '\(path)' is \(limit)")
            }
        }
    }

    /// Writes a file beside it and puts that in its place, with the permissions of what was there; what is no regular file
    /// is written to.
    ///
    /// - Parameters:
    ///   - data: All of it.
    ///   - isPrivate: Whether a file that was not there is its owner's alone to read.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    func write(_ data: Data, isPrivate: Bool) throws(ApusError) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            return try write(data, opening: path, O_WRONLY)
        }
        // What a link leads to is replaced, and not the link.
        let place = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let folder = place.lastIndex(of: "/").map { String(place[...$0]) } ?? ""
        let temporary = "\(folder).apus-\(UInt64.random(in: 0 ... .max)).part"
        do throws(ApusError) {
            let permissions = isThere ? status.st_mode & 0o777 : nil
            let flags = O_WRONLY | O_CREAT | O_EXCL
            try write(data, opening: temporary, flags, isPrivate: isThere || isPrivate, permissions: permissions)
            guard rename(temporary, place) == 0 else { throw failure(.fileUnwritable, "can't be put in place", errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// - Parameters:
    ///   - data: All of it.
    ///   - path: The file.
    ///   - flags: How it is opened.
    ///   - isPrivate: Whether it is its owner's alone, where it is made.
    ///   - permissions: What it is given before anything is written; `nil` leaves it as it was opened.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    private func write(
        _ data: Data,
        opening path: String,
        _ flags: Int32,
        isPrivate: Bool = false,
        permissions: mode_t? = nil
    ) throws(ApusError) {
        let descriptor = open(path, flags | O_CLOEXEC, isPrivate ? 0o600 : 0o666)
        guard descriptor >= 0 else { throw failure(.fileUnwritable, "can't be written", errno) }
        let hasPermissions = permissions.map { fchmod(descriptor, $0) == 0 } ?? true
        let number = hasPermissions ? data.withUnsafeBytes { Self.write(descriptor, $0) } : errno
        guard close(descriptor) == 0 || number != 0 else { throw failure(.fileUnwritable, "can't be written", errno) }
        guard number == 0 else { throw failure(.fileUnwritable, "can't be written", number) }
    }

    private static func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.read(descriptor, bytes.baseAddress, bytes.count)
        #else
            Darwin.read(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// The number of what went wrong; 0 where all was written.
    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        var rest = bytes
        while let address = rest.baseAddress, !rest.isEmpty {
            #if canImport(Glibc)
                let count = Glibc.write(descriptor, address, rest.count)
            #elseif canImport(Musl)
                let count = Musl.write(descriptor, address, rest.count)
            #else
                let count = Darwin.write(descriptor, address, rest.count)
            #endif
            if count < 0, errno != EINTR { return errno }
            rest = UnsafeRawBufferPointer(rebasing: rest[max(0, count)...])
        }
        return 0
    }

    private func failure(_ code: ApusError.Code, _ what: String, _ number: Int32) -> ApusError {
        ApusError(code, "the archive '\(path)' \(what): \(String(cString: strerror(number)))")
    }
}
