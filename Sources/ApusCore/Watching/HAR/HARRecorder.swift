internal import DequeModule
public import Foundation

/// The bounds on what a `HARRecorder` holds.
public struct HARLimits: Sendable, Hashable {
    /// The exchanges that are kept; a new one drives out the oldest. 1000.
    public var entryCount = 1000
    /// What is kept of each content, of a request's and of a response's, in bytes; 0 keeps none. 64 KiB.
    public var contentBytes = 64 << 10

    /// The defaults.
    public init() {}
}

/// Writes down every exchange of the sessions that it is given to, for an archive in the format HAR 1.2.
///
/// ```swift
/// let recorder = HARRecorder()
/// var configuration = Session.Configuration()
/// configuration.recorder = recorder
/// let session = Session(configuration: configuration)
/// try await session.get("https://example.org/").validate()
/// try recorder.write(to: file)
/// ```
///
/// It stands next to the wire, behind all middleware: each hop of a redirect, each challenge and each retry is an
/// exchange of its own, failed and cancelled ones too. Contents are noted as they pass, up to `HARLimits.contentBytes`,
/// and nothing is held up or read ahead; those of responses are noted decoded.
///
/// An archive is meant to be handed on, so that secrets are taken out of it unless the recorder was made to include
/// them: user names and passwords in URLs, cookies' values, and the values of fields, parameters, members, elements and
/// lines whose names have a word like `password`, `token`, `key` or `session` in them. A content that is no text, in which
/// nothing could be found, or that is a token as a whole, is left out then.
///
/// In memory it holds what it has noted as it was, up to twice `HARLimits.contentBytes` for each exchange.
public final class HARRecorder: Sendable {
    private struct State {
        var recordings = Deque<HARRecording>()
        var droppedCount = 0
    }

    /// The bounds on what is held.
    public let limits: HARLimits
    /// Whether secrets stand in the archive.
    public let includesSecrets: Bool

    private let state = Lock(State())

    /// Makes a recorder that has seen nothing.
    ///
    /// - Parameters:
    ///   - limits: The bounds on what is held; the defaults by default.
    ///   - includesSecrets: Whether secrets stand in the archive. Not by default.
    public init(limits: HARLimits = HARLimits(), includesSecrets: Bool = false) {
        self.limits = limits
        self.includesSecrets = includesSecrets
    }

    /// What was written down so far, in the order in which it began; exchanges that are still going on are as they are
    /// now, and say so in their comment.
    public var archive: HTTPArchive {
        let (recordings, droppedCount) = state.withLock { ($0.recordings, $0.droppedCount) }
        let view = HARView(includesSecrets: includesSecrets)
        return HTTPArchive(
            creator: HTTPArchive.Agent(name: "Apus", version: Version.current),
            entries: recordings.map { $0.entry(view) },
            comment: droppedCount == 0 ? nil : "\(droppedCount) older exchanges are not in it"
        )
    }

    /// Writes the archive to a file that its owner alone may read, replacing what is there at once or not at all. It blocks
    /// its thread.
    ///
    /// - Parameter url: The file.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    public func write(to url: URL) throws(ApusError) { try archive.write(to: url) }

    /// Forgets everything; exchanges that are going on are forgotten too.
    public func removeAll() {
        state.withLock { $0 = State() }
    }

    /// Begins to write an exchange down.
    func begin(_ request: borrowing RequestMessage, _ context: RequestContext, _ record: ExchangeRecord) -> HARRecording
    {
        let recording = HARRecording(request, context, record, contentBytes: limits.contentBytes)
        state.withLock { state in
            state.recordings.append(recording)
            let excess = state.recordings.count - max(0, limits.entryCount)
            guard excess > 0 else { return }
            state.recordings.removeFirst(excess)
            state.droppedCount += excess
        }
        return recording
    }

    /// What is written down of an exchange; `nil` where it was forgotten.
    func recording(of record: ExchangeRecord) -> HARRecording? {
        // Those that are going on are among the last.
        state.withLock { $0.recordings.last { $0.record === record } }
    }
}

// Left to reflection, it would print secrets.

extension HARRecorder: CustomStringConvertible, CustomReflectable {
    /// How many exchanges there are; nothing of what is in them.
    public var description: String { "HARRecorder of \(state.withLock { $0.recordings.count })" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
