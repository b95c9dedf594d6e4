internal import ApusCore
internal import ApusPlatform
internal import Foundation

/// Reads the file of an archive.
struct ArchiveFile {
    private let path: String

    /// - Throws: `ApusError` with the code `fileUnreadable` if the URL is not a file URL.
    init(_ url: URL) throws(ApusError) {
        guard url.isFileURL else {
            throw ApusError(.fileUnreadable, "'\(Redaction.url(url.absoluteString))' is not a file URL").with(file: url)
        }
        path = url.path(percentEncoded: false)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ApusError(.fileUnreadable, "the archive has no file name")
        }
    }

    /// Reads the whole file.
    func read(limitBytes: Int) throws(ApusError) -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("can't be opened", errno) }
        defer { close(descriptor) }
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = piece.withUnsafeMutableBytes { Self.read(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("can't be read", errno) }
            guard count > 0 else { return data }
            data.append(contentsOf: piece[..<count])
            guard data.count <= limitBytes else {
                let limit = "larger than \(limitBytes) bytes; raise limitBytes to accept it"
                throw ApusError(.fileUnreadable, "the archive '\(path)' is \(limit)").with(fileAt: path)
            }
        }
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

    private func failure(_ problem: String, _ number: Int32) -> ApusError {
        ApusError(.fileUnreadable, "the archive '\(path)' \(problem): \(String(cString: strerror(number)))")
            .with(fileAt: path)
    }
}
