internal import Foundation
internal import HTTPTypes

/// The file of a download, across all attempts of its request.
///
/// An attempt that fails leaves the part that it received here, if the next attempt can continue it. At the end of the
/// request the part is removed, or kept for another download.
///
/// Attempts follow each other, so only one of them has the part at a time. The lock protects the state from the
/// cancellation of the request. It is held together with no other lock.
final class PartialDownload: Sendable {
    private struct State {
        /// The part, while no attempt writes to it.
        var part: PartialFile?
        /// Whether an attempt has looked for the part of an earlier download.
        var isOpen = false
        /// Whether the part has bytes that this request can't continue. They stay until an attempt writes to it.
        var isForeign = false
        /// Whether the destination was chosen for a response.
        var isChosen = false
        /// The resume data of the request, while its part is as it was.
        var former: ResumeData?
        /// Whether the part is kept at the end of the request.
        var keepsPart: Bool
        var resumeData: Data?
        var isOver = false
        var handlers: [@Sendable (Data?) -> Void] = []
    }

    let destination: DownloadDestination
    private let resumed: ResumeData?
    /// Whether a later download finds a part that is kept, even if no one gets its resume data.
    private let isFoundAgain: Bool
    private let state: Lock<State>

    /// - Parameters:
    ///   - destination: The destination of the file.
    ///   - resumed: The part to continue. Default: `nil`, the part beside a fixed destination, if its options allow it.
    init(to destination: DownloadDestination, resuming resumed: ResumeData? = nil) {
        self.destination = destination
        self.resumed = resumed
        let isFoundAgain = resumed != nil || destination.fixed?.options.contains(.resumePartialFile) ?? false
        self.isFoundAgain = isFoundAgain
        self.state = Lock(State(former: resumed, keepsPart: isFoundAgain))
    }

    /// Whether another download may continue this one.
    var isResumable: Bool { state.withLock { $0.keepsPart } }

    /// Whether a failed attempt has left a part that the next one may continue.
    var holdsPart: Bool { state.withLock { $0.part?.record?.validator != nil } }

    /// The resume data of a request that has ended.
    var resumeData: Data? { state.withLock { $0.resumeData } }

    // MARK: Attempts

    /// Returns how an attempt continues the part. `nil` if there is none, and the file is requested as a whole. Blocks
    /// when the first attempt opens the part of an earlier download.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - counters: The counters for the open file.
    /// - Returns: The rest of the file, or `nil`.
    /// - Throws: `ApusError`: `fileUnwritable`, `fileExists` or `fileInUse`. The next attempt then tries to open the
    ///   part again.
    func resumption(of url: String, counters: LiveCounters) throws(ApusError) -> RangeResumption? {
        if !state.withLock({ $0.isOpen }) { try open(url, counters) }
        return state.withLock { $0.part }.flatMap { Self.resumption(of: $0, url) }
    }

    private static func resumption(of part: PartialFile, _ url: String) -> RangeResumption? {
        let received = part.received
        guard !received.isEmpty, let record = part.record, record.validator != nil, record.belongs(to: url) else {
            return nil
        }
        return RangeResumption(
            offset: received.prefixByteCount,
            validator: record.validator,
            total: record.total,
            isSegmented: record.segments != nil
        )
    }

    private func open(_ url: String, _ counters: LiveCounters) throws(ApusError) {
        let part = try earlierPart(counters)
        let isForeign = part.map { $0.byteCount > 0 && Self.resumption(of: $0, url) == nil } ?? false
        // A stable name may belong to another download by now.
        let isLost = resumed != nil && (part == nil || isForeign)
        state.withLock { state in
            state.isOpen = true
            state.part = isLost ? nil : part
            state.isForeign = isForeign && !isLost
            if isLost { state.former = nil }
        }
        // A lost part is closed when it is released, outside the lock.
        withExtendedLifetime(part) {}
    }

    private func earlierPart(_ counters: LiveCounters) throws(ApusError) -> PartialFile? {
        let fixed = destination.fixed
        if let resumed {
            let part = URL(filePath: resumed.path)
            // A part that is gone is no error: the file is downloaded from the beginning.
            guard FileManager.default.fileExists(atPath: resumed.path) else { return nil }
            // With another destination, the part gets it once that is chosen.
            return try PartialFile(
                resuming: part,
                record: resumed.record,
                for: fixed?.url ?? part.appendingPathExtension("download"),
                replaces: fixed?.options.contains(.removePreviousFile) ?? false,
                makesFolders: fixed?.options.contains(.createIntermediateDirectories) ?? false,
                counters: counters
            )
        }
        guard let fixed, fixed.options.contains(.resumePartialFile) else { return nil }
        return try newPart(at: fixed.url, fixed.options, counters)
    }

    private func newPart(
        at url: URL,
        _ options: DownloadDestination.Options,
        _ counters: LiveCounters
    ) throws(ApusError) -> PartialFile {
        try PartialFile(
            for: url,
            naming: destination.fixed != nil && options.contains(.resumePartialFile) ? .stable : .random,
            replaces: options.contains(.removePreviousFile),
            makesFolders: options.contains(.createIntermediateDirectories),
            counters: counters
        )
    }

    /// Returns the part for the response of an attempt, which owns it until it calls `hold`, or discards it. Blocks.
    func take(
        at url: URL,
        _ options: DownloadDestination.Options,
        _ counters: LiveCounters
    ) throws(ApusError) -> PartialFile {
        guard let part = state.withLock({ $0.part.take() }) else {
            let part = try newPart(at: url, options, counters)
            state.withLock { ($0.isOpen, $0.isChosen) = (true, true) }
            return part
        }
        do throws(ApusError) {
            let taken = try part.retargeted(
                to: url,
                replaces: options.contains(.removePreviousFile),
                makesFolders: options.contains(.createIntermediateDirectories)
            )
            state.withLock { ($0.isForeign, $0.isChosen, $0.former) = (false, true, nil) }
            return taken
        } catch {
            hold(part)
            throw error
        }
    }

    /// Keeps the part of a failed attempt for the next one.
    func hold(_ part: PartialFile) { state.withLock { $0.part = part } }

    // MARK: The end

    /// Keeps the part at the end of the request, and calls the handler with the resume data then.
    func keepPart(_ handler: (@Sendable (Data?) -> Void)? = nil) {
        let data = state.withLock { state -> Data?? in
            state.keepsPart = true
            guard let handler else { return nil }
            guard state.isOver else {
                state.handlers.append(handler)
                return nil
            }
            return .some(state.resumeData)
        }
        if let data { handler?(data) }
    }

    /// Removes the part of a request that has failed, or keeps it and makes its resume data. `collected` is the
    /// complete file of a request that was cancelled before it was moved.
    func settle(_ collected: PartialFile? = nil) async {
        let (held, isForeign, isChosen) = state.withLock { ($0.part.take(), $0.isForeign, $0.isChosen) }
        guard let part = collected ?? held else { return }
        // Nothing was written to it.
        if isForeign { return await part.keep() }
        let isPlaceKnown = isChosen || destination.fixed != nil
        let place = isPlaceKnown ? part.destinationPath : resumed?.destination
        let data = Self.resumeData(of: part, place)
        let isKept = state.withLock { state in
            state.former = nil
            // The end of an abandoned request was reported without resume data.
            guard let data, state.keepsPart, isFoundAgain || !state.isOver else { return false }
            state.resumeData = data
            return true
        }
        guard isKept else { return await part.discard() }
        await part.settleSegments()
        await part.keep()
    }

    private static func resumeData(of part: PartialFile, _ destination: String?) -> Data? {
        guard part.isNamed, !part.received.isEmpty, let record = part.record, record.validator != nil else {
            return nil
        }
        let path = part.url.path(percentEncoded: false)
        return ResumeData(path: path, destination: destination, record: record).encoded
    }

    /// Ends the download, after `settle` if an attempt was made. Calls the handlers of the resume data.
    ///
    /// - Parameter error: The error of the request. `nil` for a success.
    func end(after error: ApusError?) {
        let former = error == nil ? nil : state.withLock { $0.former }?.encoded
        let (handlers, data) = state.withLock { state in
            state.isOver = true
            if state.resumeData == nil { state.resumeData = former }
            defer { state.handlers = [] }
            return (state.handlers, state.resumeData)
        }
        for handler in handlers { handler(data) }
    }
}
