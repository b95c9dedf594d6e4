package import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Writes a content into a temporary file beside its destination, and puts it in its place at the end. A failure leaves
/// nothing behind.
///
/// `write` does both. `collect` leaves the file under its temporary name, until `place` or `abandon` is called, once.
///
/// Writing blocks, and so a `FileWriter` does it on a serial queue while the next chunks are read.
package final class FileSink: Sendable {
    private let destination: String
    private let replaces: Bool
    private let temporary: String
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "apus.file-sink")
    private let counters: LiveCounters?

    /// - Parameters:
    ///   - url: The destination.
    ///   - replaces: Whether a file that is there is replaced; else it is an error.
    ///   - makesFolders: Whether folders on the way to it are made.
    ///   - counters: Where the open file is counted; nowhere by default.
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
        // Not made of the destination's name: that may be as long as a name can be. By scalars: a slash that a combining
        // mark follows is no slash as a character, and one as a byte.
        let scalars = path.unicodeScalars
        let folder = scalars.lastIndex(of: "/").map { String(scalars[...$0]) } ?? ""
        if makesFolders { try Self.makeFolder(folder) }
        // Said before there is any content; what comes to be meanwhile is noticed at the end.
        try Self.check(path, replaces: replaces)
        self.temporary = folder + ".apus-\(UInt64.random(in: 0 ... .max)).part"
        self.counters = counters
        self.descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure("can't be created", destination, errno) }
        counters?.add(to: .files)
    }

    /// Lets nobody but its owner read and write the file: to be called by what brings the first chunk.
    package func restrictToOwner() throws(ApusError) {
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure("can't be made private", destination, errno) }
    }

    /// Where the content is until it is in its place.
    var temporaryURL: URL { URL(filePath: temporary) }

    /// Writes a whole body; see the other `write`.
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

    /// Writes what `next` brings, until it brings nothing, has it looked at, and moves the file into its place.
    ///
    /// - Parameters:
    ///   - progress: Told after each chunk how many bytes were given to be written.
    ///   - validate: Given the temporary file when all is there; what it throws ends the file.
    ///   - next: The next chunk.
    /// - Returns: How many bytes there were.
    /// - Throws: `ApusError`: what `next` throws, `fileUnwritable`, or what `validate` throws.
    package func write(
        progress: (Int64) -> Void = { _ in },
        validate: (URL) async throws(ApusError) -> Void = { _ in },
        _ next: () async throws(ApusError) -> BodyChunk?
    ) async throws(ApusError) -> Int64 {
        let count = try await collect(progress: progress, validate: validate, next)
        try await place()
        return count
    }

    /// Writes all chunks and validates the file, which keeps its temporary name. A failure removes it.
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
            // The last look: from here on a cancellation is the caller's to notice.
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

    /// Moves the file into its place; a failure removes it.
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

    /// Renaming replaces what stands there; a link is made only where nothing does.
    private func putInPlace() -> ApusError? {
        if replaces {
            return rename(temporary, destination) == 0 ? nil : Self.failure("can't be put in place", destination, errno)
        }
        guard link(temporary, destination) == 0 else {
            // Some file systems have no links.
            return errno == EEXIST ? Self.taken(destination) : Self.move(temporary, toFree: destination)
        }
        unlink(temporary)
        return nil
    }

    /// Moves a file to where nothing stands without a link: the name is taken by an empty file first, as nobody else
    /// can, which is then replaced.
    static func move(_ path: String, toFree destination: String) -> ApusError? {
        let claim = open(destination, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard claim >= 0 else {
            return errno == EEXIST ? taken(destination) : failure("can't be put in place", destination, errno)
        }
        close(claim)
        guard rename(path, destination) == 0 else {
            let failure = failure("can't be put in place", destination, errno)
            unlink(destination)
            return failure
        }
        return nil
    }

    /// Removes the file.
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

    /// The first bytes of a file; none where it can't be read.
    static func beginning(of url: URL, _ limit: Int) -> Data {
        guard let file = try? FileHandle(forReadingFrom: url) else { return Data() }
        defer { try? file.close() }
        return (try? file.read(upToCount: limit)) ?? Data()
    }

    /// The path of a file URL that names a file, as the system takes it: a NUL would end it early.
    private static func path(of url: URL) throws(ApusError) -> String {
        let shown = Redaction.url(url.absoluteString)
        guard url.isFileURL else { throw ApusError(.fileUnwritable, "'\(shown)' is no file URL") }
        let path = url.path(percentEncoded: false)
        guard !path.isEmpty, path.utf8.last != UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw ApusError(.fileUnwritable, "'\(shown)' names no file")
        }
        return path
    }

    /// Makes sure that there is nothing at `path`, or what may be replaced. A link is replaced itself.
    private static func check(_ path: String, replaces: Bool) throws(ApusError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFLNK: if !replaces { throw taken(path) }
        case S_IFDIR: throw ApusError(.fileUnwritable, "'\(path)' is a folder; name a file in it")
        default: throw ApusError(.fileUnwritable, "'\(path)' is a device or the like, which no file can replace")
        }
    }

    private static func makeFolder(_ path: String) throws(ApusError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ApusError(.fileUnwritable, "the folder '\(path)' can't be made", underlying: error)
        }
    }

    private static func taken(_ path: String) -> ApusError {
        ApusError(.fileUnwritable, "'\(path)' exists; remove it, or allow that with removePreviousFile")
    }

    private static func failure(_ what: String, _ path: String, _ code: Int32) -> ApusError {
        ApusError(.fileUnwritable, "'\(path)' \(what): \(String(cString: strerror(code)))")
    }
}
