internal import ApusCore
internal import ApusPlatform
internal import Foundation

/// The log of a queue, open for appending. Its owner is the only one that writes it. All functions block.
struct QueueLog: Sendable {
    private let path: String
    private var descriptor: Int32
    private var byteCount: Int64
    /// The number of bytes when the log was compacted. 0 if it was not compacted since it was opened.
    private var compactedByteCount: Int64 = 0
    /// The number of records, including those without any effect left.
    private(set) var recordCount: Int
    /// Whether it is not known which records are in the file.
    private var isBroken = false

    /// Reads the records of a log. A missing one has none.
    ///
    /// - Throws: `ApusError` with the code `fileUnreadable`, also if a later version has written it.
    static func read(_ path: String) throws(ApusError) -> RecordList {
        let data = try PrivateFile(URL(filePath: path, directoryHint: .notDirectory), or: .fileUnreadable).read()
        let list = RecordList(Array(data ?? Data()))
        // An incomplete log has the beginning of its first line, at most.
        var isBegun = !list.records.isEmpty
        for version in 1...TransferRecord.version where !isBegun {
            isBegun = try RecordLine.bytes(of: .log(version: version)).starts(with: data ?? Data())
        }
        guard isBegun else {
            throw ApusError(.fileUnreadable, "'\(path)' is not the log of a queue").with(fileAt: path)
        }
        for case .log(let version) in list.records where version > TransferRecord.version {
            throw ApusError(
                .fileUnreadable,
                "'\(path)' has version \(version), but only version \(TransferRecord.version) is supported"
            )
            .with(fileAt: path)
        }
        return list
    }

    /// Opens a log, creates it if it is missing, and cuts off an incomplete record at its end. An older log gets the
    /// current version, so that an older program refuses the records to come.
    ///
    /// - Throws: `ApusError`: `fileUnreadable`, or `fileUnwritable`.
    static func opened(_ path: String) throws(ApusError) -> (log: QueueLog, list: RecordList) {
        let list = try read(path)
        if list.completeByteCount == 0 { try create(path, []) }
        var log = try QueueLog(path, recordCount: list.records.count)
        guard list.completeByteCount > 0 else { return (log, list) }
        try log.cut(to: Int64(list.completeByteCount))
        let current = TransferRecord.log(version: TransferRecord.version)
        guard !list.records.contains(current) else { return (log, list) }
        do throws(ApusError) {
            try log.append([current], isDurable: true)
        } catch {
            log.closeFile()
            throw error
        }
        return (log, list)
    }

    private init(_ path: String, recordCount: Int) throws(ApusError) {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw QueueFolder.failure(.fileUnwritable, path, "can't be opened", errno) }
        guard let status = FileStatus(descriptor: descriptor), status.kind == .regular else {
            close(descriptor)
            throw ApusError(.fileUnwritable, "'\(path)' is not a regular file").with(fileAt: path)
        }
        self.path = path
        self.descriptor = descriptor
        self.byteCount = status.size
        self.recordCount = recordCount
    }

    /// Writes a complete log beside the old one, and gives it the name of that.
    private static func create(_ path: String, _ records: [TransferRecord]) throws(ApusError) {
        var bytes = try RecordLine.bytes(of: .log(version: TransferRecord.version))
        for record in records { bytes += try RecordLine.bytes(of: record) }
        try PrivateFile(URL(filePath: path, directoryHint: .notDirectory), or: .fileUnwritable)
            .write(Data(bytes), through: "\(path).new")
    }

    private mutating func cut(to byteCount: Int64) throws(ApusError) {
        guard byteCount < self.byteCount else { return }
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else {
            let failure = QueueFolder.failure(.fileUnwritable, path, "can't be written", errno)
            closeFile()
            throw failure
        }
        self.byteCount = byteCount
    }

    // MARK: Writing

    /// The number of bytes that added transfers may still have.
    var roomForAdditions: Int64 { max(0, QueueLimits.additionBytes - byteCount) }

    /// Appends records. After an error, none of them is in the log, or it accepts no further ones.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - isDurable: Whether they are on the disk when the call returns, and not only in the memory of the system.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    mutating func append(_ records: [TransferRecord], isDurable: Bool) throws(ApusError) {
        guard !isBroken else { throw ApusError(.fileUnwritable, "'\(path)' could not be written").with(fileAt: path) }
        var bytes: [UInt8] = []
        for record in records { bytes += try RecordLine.bytes(of: record) }
        guard byteCount + Int64(bytes.count) <= QueueLimits.logBytes else {
            throw ApusError(
                .fileUnwritable,
                "'\(path)' has reached its limit of \(QueueLimits.logBytes >> 20) MiB; remove transfers"
            )
            .with(fileAt: path)
        }
        if let number = Self.put(bytes, into: descriptor) {
            // Without the beginning of a line, the next record is on a line of its own.
            if ftruncate(descriptor, off_t(byteCount)) != 0 { isBroken = true }
            throw QueueFolder.failure(.fileUnwritable, path, "can't be written", number)
        }
        if isDurable, fsync(descriptor) != 0 {
            isBroken = true
            throw QueueFolder.failure(.fileUnwritable, path, "can't be written", errno)
        }
        byteCount += Int64(bytes.count)
        recordCount += records.count
    }

    /// Returns the error number, or `nil` if all bytes were written.
    private static func put(_ bytes: [UInt8], into descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : ENOSPC }
                rest = rest.dropFirst(count)
            }
            return nil
        }
    }

    // MARK: Compacting

    /// Whether records were appended since the log was compacted.
    var hasGrown: Bool { byteCount > compactedByteCount }

    /// Returns whether most of the records have no effect any more, or the log is large. `transferCount` is the number of
    /// transfers in the queue.
    func isDueForCompaction(transferCount: Int) -> Bool {
        recordCount > QueueLimits.spareRecordCount + 4 * transferCount
            || byteCount > max(QueueLimits.compactionBytes, compactedByteCount + QueueLimits.growthBytes)
    }

    /// Replaces the log by one with other records. If the new one can't be written, the old one stays in use.
    ///
    /// - Returns: Whether it was replaced.
    /// - Throws: `ApusError` with the code `fileUnwritable` if the new log can't be opened.
    @discardableResult
    mutating func replace(with records: [TransferRecord]) throws(ApusError) -> Bool {
        do throws(ApusError) {
            try Self.create(path, records)
        } catch {
            // The disk may be full. The records that end the transfers may still have room.
            recordCount = 0
            compactedByteCount = byteCount
            return false
        }
        // From now on, the open file has no name any more.
        isBroken = true
        let new = try QueueLog(path, recordCount: records.count + 1)
        closeFile()
        self = new
        compactedByteCount = byteCount
        return true
    }

    /// Closes the file.
    mutating func closeFile() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        isBroken = true
    }
}
