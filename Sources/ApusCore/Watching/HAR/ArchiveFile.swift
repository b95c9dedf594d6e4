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
    private let url: URL
    private let path: String

    /// - Throws: `ApusError` with `code` where the URL names no file.
    init(_ url: URL, or code: ApusError.Code) throws(ApusError) {
        guard url.isFileURL else {
            throw ApusError(code, "'\(Redaction.url(url.absoluteString))' is no file URL")
        }
        self.url = url
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

    /// Puts a new content in the file's place, or in that of the file that a link leads to, for its owner alone. What is no
    /// regular file is written to.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    func write(_ data: Data) throws(ApusError) {
        guard isDevice else { return try PrivateFile(url, or: .fileUnwritable).write(data) }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.fileUnwritable, "can't be written", errno) }
        let number = data.withUnsafeBytes { Self.write(descriptor, $0) }
        guard close(descriptor) == 0 || number != 0 else { throw failure(.fileUnwritable, "can't be written", errno) }
        guard number == 0 else { throw failure(.fileUnwritable, "can't be written", number) }
    }

    /// Fails where it can't be written; changes nothing.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    func check() throws(ApusError) {
        if !isDevice { try PrivateFile(url, or: .fileUnwritable).checkFolder() }
    }

    /// Whether something is there that is no regular file, and can't be replaced.
    private var isDevice: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
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
