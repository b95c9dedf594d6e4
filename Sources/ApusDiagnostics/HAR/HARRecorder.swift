public import ApusCore
internal import DequeModule
public import Foundation

/// The limits of a `HARRecorder`.
public struct HARLimits: Sendable, Hashable {
    /// The maximum number of exchanges. A new exchange replaces the oldest. Default: 1000.
    public var entryCount = 1000
    /// The maximum number of bytes kept of each request's and each response's body. 0 keeps none. Default: 64 KiB.
    public var contentBytes = 64 << 10

    /// Creates the default limits.
    public init() {}
}

/// Records every exchange of the sessions that use it, for an archive in the format HAR 1.2.
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
/// It records at the transport, behind all middleware. Each redirect, challenge and retry is an exchange of its own,
/// also if it failed or was cancelled. Bodies are recorded while they are read, up to `HARLimits.contentBytes`. Nothing
/// is delayed or read ahead. Bodies of responses are recorded after decoding.
///
/// Archives are meant to be shared, so secrets are removed by default: user names and passwords in URLs, values of
/// cookies, and the values of fields, parameters, members, elements and lines whose names contain a word like
/// `password`, `token`, `key` or `session`. A body is left out if it is not text, so that it cannot be searched, or is
/// a token as a whole.
///
/// In memory the recorder keeps the unredacted data, up to twice `HARLimits.contentBytes` for each exchange.
public final class HARRecorder: Sendable {
    private struct State {
        var recordings = Deque<HARRecording>()
        var droppedCount = 0
    }

    /// The limits of the recorder.
    public let limits: HARLimits
    /// Whether the archive includes secrets.
    public let includesSecrets: Bool

    private let state = Lock(State())

    /// Creates an empty recorder.
    ///
    /// - Parameters:
    ///   - limits: The limits of the recorder. Default: `HARLimits()`.
    ///   - includesSecrets: Whether the archive includes secrets. Default: `false`.
    public init(limits: HARLimits = HARLimits(), includesSecrets: Bool = false) {
        self.limits = limits
        self.includesSecrets = includesSecrets
    }

    /// The exchanges so far, in the order in which they began. Exchanges that are still active are included in their
    /// current state, and their comment mentions it.
    public var archive: HTTPArchive {
        let (recordings, droppedCount) = state.withLock { ($0.recordings, $0.droppedCount) }
        let view = HARView(includesSecrets: includesSecrets)
        return HTTPArchive(
            creator: HTTPArchive.Agent(name: "Apus", version: ApusVersion.current),
            entries: recordings.map { $0.entry(view) },
            comment: droppedCount == 0 ? nil : "\(droppedCount) older exchanges were discarded"
        )
    }

    /// Writes the archive to a file that only its owner can read, replacing an existing file atomically. Blocks the
    /// calling thread.
    ///
    /// - Parameter url: The file.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    public func write(to url: URL) throws(ApusError) { try archive.write(to: url) }

    /// Removes all exchanges, also those that are still active.
    public func removeAll() {
        state.withLock { $0 = State() }
    }

    /// Starts recording an exchange.
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

    /// Returns the recording of an exchange, `nil` if it was removed.
    func recording(of record: ExchangeRecord) -> HARRecording? {
        // Searched from the end, where the active exchanges are.
        state.withLock { $0.recordings.last { $0.record === record } }
    }
}

// Without these, reflection would print secrets.

extension HARRecorder: CustomStringConvertible, CustomReflectable {
    /// The number of exchanges, without their data.
    public var description: String { "HARRecorder of \(state.withLock { $0.recordings.count })" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SessionConfiguration {
    /// Records each exchange for an HTTP archive (HAR). Default: `nil`.
    public var recorder: HARRecorder? {
        get { options[RecorderSetting.self]?.recorder }
        set { options[RecorderSetting.self] = newValue.map { RecorderSetting(recorder: $0) } }
    }
}

/// A wrapper, so that a recorder itself is no option of a request, where it would have no effect.
private struct RecorderSetting: RequestOption {
    let recorder: HARRecorder
}
