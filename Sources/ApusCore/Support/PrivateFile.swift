package import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A small file that is read and written as a whole, and that nobody but its owner may read.
///
/// `FileSink` writes what comes chunk by chunk and may take hours; this is over in one call, in the order of the calls.
package struct PrivateFile {
    /// The largest file that is read: far above what the limits of a jar let become of it.
    private static let largestFile = 64 << 20

    private let path: String

    /// - Parameters:
    ///   - url: Where it is.
    ///   - code: The code of the error where that is no URL of a file.
    /// - Throws: `ApusError` with that code.
    package init(_ url: URL, or code: ApusError.Code) throws(ApusError) {
        let path = url.path(percentEncoded: false)
        guard url.isFileURL, !path.isEmpty, path.utf8.last != UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw ApusError(code, "'\(Redaction.url(url.absoluteString))' names no file")
        }
        self.path = path
    }

    /// What is in the file; `nil` where there is none.
    package func read() throws(ApusError) -> Data? {
        // What is no file, a pipe, may have nobody at its other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(.fileUnreadable, "can't be opened", errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(.fileUnreadable, "can't be read", errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= off_t(Self.largestFile) else {
            throw ApusError(
                .fileUnreadable,
                "'\(path)' is no regular file of at most \(Self.largestFile >> 20) MiB; it was left as it is"
            )
        }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Self.retrying { buffer.withUnsafeMutableBytes { readBytes(descriptor, $0) } }
            guard count >= 0 else { throw failure(.fileUnreadable, "can't be read", errno) }
            if count == 0 { return data }
            data.append(contentsOf: buffer[..<count])
            // It may have grown meanwhile.
            guard data.count <= Self.largestFile else {
                throw ApusError(.fileUnreadable, "'\(path)' grows while it is read")
            }
        }
    }

    /// Puts a new content in the file's place, or in that of the file that a link leads to; a failure leaves the old one,
    /// and nothing beside it.
    package func write(_ data: Data) throws(ApusError) {
        let path = try place()
        let folder = Self.folder(of: path)
        let temporary = folder + ".apus-\(UInt64.random(in: 0 ... .max)).part"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(.fileUnwritable, "can't be created", errno) }
        var code = Self.put(data, into: descriptor)
        // What is renamed before it is on the disk may be an empty file after a crash.
        if code == 0, fsync(descriptor) != 0 { code = errno }
        if close(descriptor) != 0, code == 0 { code = errno }
        if code == 0, rename(temporary, path) != 0 { code = errno }
        guard code == 0 else {
            unlink(temporary)
            throw failure(.fileUnwritable, "can't be written", code)
        }
        Self.settle(folder.isEmpty ? "." : folder)
    }

    /// Fails where no content can be put in the file's place; changes nothing.
    package func checkFolder() throws(ApusError) {
        let folder = Self.folder(of: try place())
        guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else {
            throw failure(.fileUnwritable, "can't be created", errno)
        }
    }

    /// Where the file is, behind all links, the last of which may lead to none. Nothing but a file is replaced.
    private func place() throws(ApusError) -> String {
        var place = path
        // As many as Linux follows.
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
                place = link.utf8.first == UInt8(ascii: "/") ? link : Self.folder(of: place) + link
            default: throw ApusError(.fileUnwritable, "'\(path)' is no regular file; it was left as it is")
            }
        }
        throw failure(.fileUnwritable, "can't be written", ELOOP)
    }

    /// The folder of a path, with the slash behind it; empty where it names none.
    private static func folder(of path: String) -> String {
        path.unicodeScalars.lastIndex(of: "/").map { String(path.unicodeScalars[...$0]) } ?? ""
    }

    /// Writes everything; zero, or the error's number.
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

    /// Has the folder know the new name after a crash, where its file system can.
    private static func settle(_ folder: String) {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private func failure(_ code: ApusError.Code, _ what: String, _ number: Int32) -> ApusError {
        ApusError(code, "'\(path)' \(what): \(String(cString: strerror(number)))")
    }
}

/// The system's calls, which have the names of methods here.
private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func writeBytes(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    write(descriptor, buffer.baseAddress, buffer.count)
}
