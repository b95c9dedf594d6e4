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
        let path = try FilePlacement.prepare(url, replaces: replaces, makesFolders: makesFolders)
        self.destination = path
        self.replaces = replaces
        self.temporary = FilePlacement.temporaryPath(in: FilePlacement.folder(of: path))
        self.counters = counters
        self.descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FilePlacement.failure("can't be created", destination, errno) }
        counters?.add(to: .files)
    }

    /// Restricts access to the file's owner. Call it from `next` before the first chunk is returned.
    package func restrictToOwner() throws(ApusError) {
        guard fchmod(descriptor, 0o600) == 0 else {
            throw FilePlacement.failure("can't be made private", destination, errno)
        }
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
            let writer = FileWriter(descriptor, on: queue) {
                FilePlacement.failure("can't be written", destination, $0)
            }
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
            fsync(descriptor) == 0 ? nil : FilePlacement.failure("can't be written", destination, errno)
        }
        if let failure { throw failure }
    }

    /// Moves the file to its destination. Removes it on failure.
    func place() async throws(ApusError) {
        let failure = await onQueue { [self] () -> ApusError? in
            let code = FilePlacement.move(temporary, to: destination, replaces: replaces)
            guard code == 0 else { return FilePlacement.failure(ofMoveTo: destination, code) }
            close(descriptor)
            return nil
        }
        if let failure {
            await abandon()
            throw failure
        }
        counters?.remove(from: .files)
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
}
