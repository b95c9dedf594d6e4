internal import Apus

/// The values of the flags of whole transfers: queues, segments and resumable uploads.
struct TransferArguments: Equatable {
    /// The versions that `--interop-version` can choose.
    enum DraftVersion: String, CaseIterable {
        case v6 = "6"
        case v7 = "7"
        case v8 = "8"

        var version: ResumableUpload.InteropVersion {
            switch self {
            case .v6: .v6
            case .v7: .v7
            case .v8: .v8
            }
        }
    }

    /// The maximum number of segments.
    static let mostSegments = 16

    /// The folder of the queue that a transfer is added to, or that is run, listed or changed.
    var queue: String?
    /// Whether the transfers of the queue are performed.
    var runsQueue = false
    /// Whether the transfers of the queue are printed.
    var listsQueue = false
    /// The changes of single transfers of the queue, in order.
    var changes: [QueueChange] = []
    /// The priority of a transfer that is added to the queue.
    var priority: Int?
    /// The number of connections that receive one file.
    var segments: Int?
    /// Whether the body is sent as a resumable upload.
    var isResumable = false
    /// The version of the draft of resumable uploads, or `nil` without the flag.
    var draftVersion: DraftVersion?
}

extension TransferArguments {
    /// Flags that need a queue.
    private static let flagsOfQueue: Set<String> = ["run", "list", "pause", "resume", "remove", "priority"]

    /// Flags that list and change the transfers of a queue.
    private static let flagsOfControl: Set<String> = ["list", "pause", "resume", "remove"]

    /// Flags that neither a queue nor its run can honor.
    private static let foreignFlags: Set<String> = [
        "session", "session-read-only", "offline", "curl", "har", "waterfall",
    ]

    /// Flags that a transfer keeps, and that a run does not change.
    private static let flagsOfTransfer: Set<String> = [
        "form", "multipart", "boundary", "raw", "compress", "auth", "auth-type", "output", "continue", "checksum",
        "retry", "segments", "resumable", "interop-version", "priority",
    ]

    /// Flags of the session that performs the transfers.
    private static let flagsOfRun: Set<String> = Set((Flag.security + Flag.network).map(\.name)).union([
        "max-redirects", "timeout", "limit-rate", "proxy", "no-proxy", "http-version", "trace",
    ])

    /// Whether transfers of the queue are listed or changed, and nothing is sent.
    var controlsQueue: Bool { listsQueue || !changes.isEmpty }

    /// Checks the flags that a queue is used with, so that none of them is ignored.
    ///
    /// - Parameters:
    ///   - flags: The names of all flags of the command line, in order.
    ///   - words: The other arguments.
    /// - Throws: `CommandFault` if a flag or a word has no use.
    func checkQueue(_ flags: [String], words: [String]) throws(CommandFault) {
        guard let queue else {
            guard let flag = flags.first(where: { Self.flagsOfQueue.contains($0) }) else { return }
            throw CommandFault("--\(flag) needs the folder of a queue; add --queue FOLDER")
        }
        guard !queue.isEmpty else { throw CommandFault("--queue has no folder; name one") }
        if let flag = flags.first(where: { Self.foreignFlags.contains($0) }) {
            throw CommandFault("--\(flag) can't be used with --queue; leave it out")
        }
        if let control = flags.first(where: { Self.flagsOfControl.contains($0) }) {
            return try check(control, flags, words: words)
        }
        guard runsQueue else {
            guard let flag = flags.first(where: { Self.flagsOfRun.contains($0) }) else { return }
            throw CommandFault("--\(flag) is not kept with a transfer; give it to the run, with --queue and --run")
        }
        if let word = words.first {
            throw CommandFault("--run performs a queue and sends no other request; leave out '\(Redaction.url(word))'")
        }
        if let flag = flags.first(where: { Self.flagsOfTransfer.contains($0) }) {
            throw CommandFault("--\(flag) belongs to a transfer; give it when the transfer is added, without --run")
        }
    }

    /// Checks the flags that a flag for the control of a queue is used with.
    private func check(_ control: String, _ flags: [String], words: [String]) throws(CommandFault) {
        if runsQueue { throw CommandFault("--\(control) can't be used with --run; leave one of them out") }
        if let word = words.first {
            throw CommandFault("--\(control) sends no request; leave out '\(Redaction.url(word))'")
        }
        let others = Self.flagsOfTransfer.union(Self.flagsOfRun)
        guard let flag = flags.first(where: { others.contains($0) }) else { return }
        throw CommandFault("--\(flag) has no use with --\(control); leave it out")
    }

    /// Checks the flags of uploads.
    ///
    /// - Throws: `CommandFault` if one of them has no use.
    func checkUpload(isDownload: Bool) throws(CommandFault) {
        guard isResumable else {
            if draftVersion != nil { throw CommandFault("--interop-version is for --resumable; add it") }
            return
        }
        if isDownload { throw CommandFault("--resumable is for uploads; leave out --download") }
    }
}
