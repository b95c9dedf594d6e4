internal import Apus
internal import ApusPlatform
internal import Dispatch
internal import Foundation

/// The file of `--segments`, which the library receives over several connections at once.
struct FileInSegments {
    /// The end of the download.
    struct Outcome {
        let response: DownloadResponse<URL>
        /// The last progress, in bytes.
        let completed: Int64
        /// The display of the progress, whose line is cleared.
        let display: ProgressDisplay?
        let start: MonotonicInstant
    }

    /// The maximum number of connections.
    let count: Int
    /// The names of the file and of its part.
    let part: DownloadPart
    /// Whether an existing file is replaced.
    let replaces: Bool
    /// Whether `--continue` finds the part by the URL alone, or by the same `--output`.
    let isFound: Bool
    /// The bytes of an earlier download.
    let earlier: Int64
    let checksum: ExpectedDigest?
    let console: Console
    let isQuiet: Bool
    /// The limit on the whole request, for its error message.
    let timeout: Duration?

    /// Opens the part of a file that is downloaded from its beginning.
    ///
    /// - Throws: `CommandFault` if there is no such file.
    static func part(
        for destination: Invocation.Destination?,
        of plan: RequestPlan,
        files: Files
    ) async throws(CommandFault) -> DownloadPart {
        switch destination {
        case .file(let name):
            if let part = try DownloadPart.replacing(name, files: files) { return part }
            throw CommandFault("--segments needs a part beside the file, which '\(name)' can't have; name another file")
        case .newFile:
            // The server suggests another name only once the download has begun.
            if let name = Continuation.name(in: plan.target.path) {
                return try await DownloadPart.new(name, files: files)
            }
            throw CommandFault("--segments needs the name of the file, and the URL has none; add --output FILE")
        case .standardOutput, nil:
            throw Invocation.needsFile("--segments")
        }
    }
}

extension FileInSegments {
    /// Downloads the file, and shows the progress.
    func fetch(_ message: RequestMessage, in session: Session, options: RequestOptions) async -> Outcome {
        var options = options
        options[DownloadSegments.self] = DownloadSegments(count)
        options[ExpectedDigest.self] = checksum
        var fileOptions: DownloadDestination.Options = [.resumePartialFile]
        if replaces { fileOptions.insert(.removePreviousFile) }
        let start = MonotonicInstant.now
        let display = ProgressDisplay(
            console.error,
            name: part.name,
            after: earlier,
            total: nil,
            isQuiet: isQuiet,
            start: start
        )
        let live = LiveProgress(display, on: DispatchQueue(label: "apus.segments"))
        let request = session.download(
            message,
            to: .file(part.file.destination, options: fileOptions),
            options: options
        )
        .validate(statusCode: 200..<300)
        .downloadProgress(queue: live.queue) { live.report($0.completed, of: $0.total) }
        let response = await request.serializingURL().response
        return Outcome(
            response: response,
            completed: request.downloadProgress.completed,
            display: live.stop(),
            start: start
        )
    }

    /// Reports that the file was saved.
    ///
    /// - Throws: The error of the download, with the place of the received part.
    func settle(_ outcome: Outcome) throws {
        switch outcome.response.result {
        case .success(let file): report(file, outcome)
        case .failure(let error): throw fault(for: error, outcome)
        }
    }

    private func report(_ file: URL, _ outcome: Outcome) {
        let total = FileStatus(path: file.path(percentEncoded: false))?.size ?? outcome.completed
        var kept: Int64 = 0
        if earlier > 0 {
            // The server may have sent a changed file from its beginning.
            let received = outcome.response.metrics.exchanges.reduce(Int64(0)) { $0 + $1.responseBodyBytes }
            kept = max(0, total - received)
        }
        var display = ProgressDisplay(
            console.error,
            name: part.name,
            after: kept,
            total: total,
            isQuiet: isQuiet,
            start: outcome.start
        )
        _ = display.line(after: total, of: total)
        display.finish("'\(part.name)'")
    }

    private func fault(for error: ApusError, _ outcome: Outcome) -> any Error {
        guard let fault = FaultSentence.fault(for: error, timeout: timeout) else { return error }
        if error.code == .digestMismatch { return CommandFault("\(error.detail); nothing was saved") }
        if error.code == .fileExists {
            return CommandFault(
                "'\(part.name)' was created by another program; name another file with --output"
            )
        }
        guard let size = FileStatus(path: part.file.url.path(percentEncoded: false))?.size, size > 0 else {
            return fault
        }
        let share = outcome.display?.share(outcome.completed) ?? ByteCount.text(outcome.completed)
        let place = "the received part, \(share), is in '\(part.partName)'"
        let name = isFound ? "" : " --output '\(part.name)'"
        return CommandFault(
            "\(fault.sentence) (\(place); go on with --continue --segments \(count)\(name))",
            exitCode: fault.exitCode
        )
    }
}
