internal import ApusPlatform
package import Foundation

/// Writes a body to a temporary file next to its destination, and moves it there at the end. A failure leaves nothing
/// behind.
///
/// `write` does both. `collect` keeps the temporary name until `place` or `abandon` is called, once.
///
/// Writing blocks, so a `FileWriter` writes on a serial queue while the next chunks are read.
package final class FileSink: Sendable {
    private let destination: String
    private let replaces: Bool
    private let temporary: String
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "apus.file-sink")
    private let counters: LiveCounters?

    /// - Parameters:
    ///   - url: The destination.
    ///   - replaces: Whether to replace an existing file. If not, an existing file is an error. Default: `true`.
    ///   - makesFolders: Whether to create missing parent folders. Default: `false`.
    ///   - counters: The counters for the open file. Default: none.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    package init(
        at url: URL,
        replaces: Bool = true,
        makesFolders: Bool = false,
        counters: LiveCounters? = nil
    ) throws(ApusError) {
        let path = try Self.path(of: url)
        self.destination = path
        self.replaces = replaces
        // The destination's name may have the maximum length already, so it is not part of this one. Search scalars,
        // not characters: a slash followed by a combining mark is another character, but still separates folders.
        let scalars = path.unicodeScalars
        let folder = scalars.lastIndex(of: "/").map { String(scalars[...$0]) } ?? ""
        if makesFolders { try Self.makeFolder(folder) }
        // Fails early, before there is a body. A file that appears later is detected at the end.
        try Self.check(path, replaces: replaces)
        self.temporary = folder + ".apus-\(UInt64.random(in: 0 ... .max)).part"
        self.counters = counters
        self.descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure("can't be created", destination, errno) }
        counters?.add(to: .files)
    }

    /// Restricts access to the file's owner. Call it from `next` before the first chunk is returned.
    package func restrictToOwner() throws(ApusError) {
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure("can't be made private", destination, errno) }
    }

    /// The location of the file until it is moved to its destination.
    var temporaryURL: URL { URL(filePath: temporary) }

    /// Writes a whole body. See the other `write`.
    @discardableResult
    func write(
        _ body: ResponseBody,
        progress: (Int64) -> Void = { _ in },
        validate: (URL) async throws(ApusError) -> Void = { _ in }
    ) async throws(ApusError) -> Int64 {
        var iterator = body.makeAsyncIterator()
        return try await write(progress: progress, validate: validate) { () async throws(ApusError) in
            try await iterator.next()
        }
    }

    /// Writes the chunks of `next` until it returns `nil`, validates the file, and moves it to its destination.
    ///
    /// - Parameters:
    ///   - progress: Called after each chunk with the number of bytes passed to the writer so far.
    ///   - validate: Called with the complete temporary file. If it throws, the file is removed.
    ///   - next: Returns the next chunk, or `nil` after the last.
    /// - Returns: The number of bytes.
    /// - Throws: `ApusError`: an error of `next` or `validate`, or `fileUnwritable`.
    package func write(
        progress: (Int64) -> Void = { _ in },
        validate: (URL) async throws(ApusError) -> Void = { _ in },
        _ next: () async throws(ApusError) -> BodyChunk?
    ) async throws(ApusError) -> Int64 {
        let count = try await collect(progress: progress, validate: validate, next)
        try await place()
        return count
    }

    /// Writes all chunks and validates the file, which keeps its temporary name. Removes the file on failure.
    func collect(
        progress: (Int64) -> Void = { _ in },
        validate: (URL) async throws(ApusError) -> Void = { _ in },
        _ next: () async throws(ApusError) -> BodyChunk?
    ) async throws(ApusError) -> Int64 {
        do throws(ApusError) {
            let destination = destination
            let writer = FileWriter(descriptor, on: queue) { Self.failure("can't be written", destination, $0) }
            var offset: Int64 = 0
            while let chunk = try await next() {
                try await writer.append(chunk)
                offset += Int64(chunk.count)
                progress(offset)
            }
            try await writer.drain()
            try await validate(temporaryURL)
            // The last check for cancellation. Later cancellations are left to the caller.
            if Task.isCancelled { throw ApusError(.cancelled, "its task was cancelled") }
            try await synchronize()
            return offset
        } catch {
            await abandon()
            throw error
        }
    }

    private func synchronize() async throws(ApusError) {
        let failure = await onQueue { [self] () -> ApusError? in
            fsync(descriptor) == 0 ? nil : Self.failure("can't be written", destination, errno)
        }
        if let failure { throw failure }
    }

    /// Moves the file to its destination. Removes it on failure.
    func place() async throws(ApusError) {
        let failure = await onQueue { [self] () -> ApusError? in
            if let failure = putInPlace() { return failure }
            close(descriptor)
            return nil
        }
        if let failure {
            await abandon()
            throw failure
        }
        counters?.remove(from: .files)
    }

    /// Renaming replaces an existing file. Creating a link fails if there is one.
    private func putInPlace() -> ApusError? {
        if replaces {
            guard rename(temporary, destination) == 0 else {
                return Self.failure("can't be moved into place", destination, errno)
            }
            return nil
        }
        guard link(temporary, destination) == 0 else {
            // Some file systems do not support links.
            return errno == EEXIST ? Self.taken(destination) : Self.move(temporary, toFree: destination)
        }
        unlink(temporary)
        return nil
    }

    /// Moves a file to a free destination without a link. It first creates an empty file there exclusively, which
    /// claims the name, and then replaces that file.
    static func move(_ path: String, toFree destination: String) -> ApusError? {
        let claim = open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard claim >= 0 else {
            return errno == EEXIST ? taken(destination) : failure("can't be moved into place", destination, errno)
        }
        close(claim)
        guard rename(path, destination) == 0 else {
            let failure = failure("can't be moved into place", destination, errno)
            unlink(destination)
            return failure
        }
        return nil
    }

    /// Closes and removes the temporary file.
    func abandon() async {
        _ = await onQueue { [self] () -> ApusError? in
            close(descriptor)
            unlink(temporary)
            return nil
        }
        counters?.remove(from: .files)
    }

    private func onQueue(_ work: @escaping @Sendable () -> ApusError?) async -> ApusError? {
        let outcome = Deferred<ApusError?>()
        queue.async { outcome.fulfill(work()) }
        return await outcome.value
    }

    /// Returns the first bytes of a file, or none if it can't be read.
    static func beginning(of url: URL, _ limit: Int) -> Data {
        guard let file = try? FileHandle(forReadingFrom: url) else { return Data() }
        defer { try? file.close() }
        return (try? file.read(upToCount: limit)) ?? Data()
    }

    /// Returns the path of a file URL that names a file. Rejects a NUL, at which the system would cut the path off.
    private static func path(of url: URL) throws(ApusError) -> String {
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

    /// Checks that nothing exists at `path`, or that it may be replaced. A symbolic link is itself replaced.
    private static func check(_ path: String, replaces: Bool) throws(ApusError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
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

    private static func taken(_ path: String) -> ApusError {
        ApusError(.fileUnwritable, "'\(path)' already exists; remove it, or use removePreviousFile").with(fileAt: path)
    }

    private static func failure(_ problem: String, _ path: String, _ code: Int32) -> ApusError {
        ApusError(.fileUnwritable, "'\(path)' \(problem): \(String(cString: strerror(code)))").with(fileAt: path)
    }
}
