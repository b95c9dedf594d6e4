internal import ApusCore
internal import ApusPlatform
internal import Foundation

/// The changes of a queue that were not taken up: those that any process makes, also while another one runs the queue.
///
/// Each is a file of its own with one record or several, in the format of the log. It is written under a temporary
/// name, and on the disk before it has its own one, so that it is whole. The names are in the order of the changes. All
/// functions block.
final class IncomingChanges: Sendable {
    /// A change that was read.
    struct Change: Sendable {
        let name: String
        let records: [TransferRecord]
        let byteCount: Int64
        /// Whether records were lost.
        let isDamaged: Bool
    }

    /// The maximum number of changes that are taken up at once.
    static let batchCount = 1_000
    private static let suffix = ".records"

    /// The latest change that this object has written.
    private struct Latest {
        /// The number in its name.
        var number: Int64 = 0
        /// The time at which the folder had changed with it. `nil` if that is not known.
        var folderDate: Date?
    }

    private let folder: String
    private let latest = Lock(Latest())

    init(in folder: QueueFolder) {
        self.folder = folder.incoming
    }

    /// Writes a change. It is on the disk when the call returns.
    ///
    /// - Throws: `ApusError`: `fileUnwritable`, or `invalidRequest` if a record is too long.
    func write(_ records: [TransferRecord]) throws(ApusError) {
        var bytes: [UInt8] = []
        for record in records { bytes += try RecordLine.bytes(of: record) }
        guard bytes.count <= QueueLimits.changeBytes, records.count <= QueueLimits.changeRecordCount else {
            throw ApusError(
                .invalidRequest,
                "\(records.count) transfers with \(bytes.count) bytes are too many at once; add fewer"
            )
        }
        let number = nextNumber()
        let name = "\(number.padded(to: 20))-\(UInt64.random(in: 0 ... .max).padded(to: 16, radix: 16))"
        try PrivateFile(url(name + Self.suffix), or: .fileUnwritable).write(Data(bytes))
        let date = folderDate
        latest.withLock { $0 = Latest(number: number, folderDate: date) }
    }

    /// Returns a number above those of all changes in the folder: the microseconds since 1970, unless the clock was set
    /// back.
    private func nextNumber() -> Int64 {
        let now = Int64(exactly: (Date().timeIntervalSince1970 * 1_000_000).rounded()) ?? 0
        let (number, knownDate) = latest.withLock { ($0.number, $0.folderDate) }
        // The names are only read after a change by another object. They may be many.
        let isKnown = knownDate != nil && knownDate == folderDate
        let changes = isKnown ? [] : (try? names()) ?? []
        let newest = max(number, changes.compactMap { Self.number(of: $0) }.max() ?? 0)
        return max(newest + 1, now)
    }

    /// Returns the number in the name of a change. `nil` if it has none that a clock could show.
    private static func number(of name: String) -> Int64? {
        guard let number = Int64(name.prefix(while: { $0 != "-" })), number < Int64.max / 2 else { return nil }
        return number
    }

    /// The time of the last change of a name in the folder.
    private var folderDate: Date? { Self.date(of: folder) }

    private static func date(of path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }

    /// Removes the incomplete changes of processes that were killed. Those of the last hour may still be written.
    func removeIncomplete() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(".apus-") && name.hasSuffix(".part") {
            let path = "\(folder)/\(name)"
            guard let date = Self.date(of: path) else { continue }
            if -date.timeIntervalSinceNow > QueueLimits.incompleteAge.inSeconds { unlink(path) }
        }
    }

    /// Returns the names of all changes, in order.
    ///
    /// - Throws: `ApusError` with the code `fileUnreadable` if the folder can't be read.
    func names() throws(ApusError) -> [String] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            return names.filter { $0.hasSuffix(Self.suffix) }.sorted()
        } catch {
            throw ApusError(.fileUnreadable, "the folder '\(folder)' can't be read", underlying: error)
                .with(fileAt: folder)
        }
    }

    /// Reads a change. Returns `nil` if it is gone, since the process that runs the queue has taken it up.
    ///
    /// - Parameters:
    ///   - name: The name of the change.
    ///   - contents: Returns the contents of a file. Tests replace it.
    /// - Returns: The change. `nil` if it is gone.
    /// - Throws: `ApusError` with the code `fileUnreadable` if the change can't be read now, for example since too many
    ///   files are open. It is not damaged then.
    func read(
        _ name: String,
        _ contents: (URL) throws(ApusError) -> Data? = { url throws(ApusError) in
            try PrivateFile(url, or: .fileUnreadable).read()
        }
    ) throws(ApusError) -> Change? {
        do throws(ApusError) {
            guard let data = try contents(url(name)) else { return nil }
            let list = RecordList(Array(data))
            let isComplete = list.damagedLines.isEmpty && list.completeByteCount == data.count
            let requests = list.records.filter(\.isRequest)
            return Change(name: name, records: requests, byteCount: Int64(data.count), isDamaged: !isComplete)
        } catch {
            guard !isReadable("\(folder)/\(name)") else { throw error }
            return Change(name: name, records: [], byteCount: 0, isDamaged: true)
        }
    }

    /// Whether a path leads to a file that may be a change, and that this process may read.
    private func isReadable(_ path: String) -> Bool {
        guard let status = FileStatus(path: path), status.kind == .regular else { return false }
        return status.size <= Int64(QueueLimits.changeBytes) && access(path, R_OK) == 0
    }

    /// Removes the changes that were taken up, the oldest first. A damaged one is renamed instead.
    func remove(_ changes: [Change]) {
        guard !changes.isEmpty else { return }
        for change in changes {
            let path = "\(folder)/\(change.name)"
            if change.isDamaged { rename(path, "\(path).damaged") } else { unlink(path) }
        }
        QueueFolder.synchronize(folder)
    }

    private func url(_ name: String) -> URL { URL(filePath: "\(folder)/\(name)", directoryHint: .notDirectory) }
}
