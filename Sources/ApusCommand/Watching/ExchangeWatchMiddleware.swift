internal import Apus
internal import Foundation

/// Records the exchanges of one run for `--har`, `--waterfall` and `--trace`.
final class ExchangeWatchMiddleware: Middleware {
    /// The maximum number of bytes of each body in the archive.
    private static let contentBytes = 1 << 20

    private let watching: Watching
    private let files: Files
    private let recorder: HARRecorder?
    private let trace: TraceMonitor?
    /// The contexts of the requests, of which `--continue` may send a second one. They hold the metrics of all
    /// exchanges, even of a failed request.
    private let contexts = Lock<[RequestContext]>([])

    /// - Throws: `CommandFault` if a file can't be written.
    init(_ watching: Watching, console: Console) throws(CommandFault) {
        self.watching = watching
        self.files = console.files
        var limits = HARLimits()
        limits.contentBytes = Self.contentBytes
        recorder = watching.archive == nil ? nil : HARRecorder(limits: limits)
        trace = watching.traces ? TraceMonitor(console) : nil
        if let name = watching.archive { try Self.check(name, files: files, option: "--har") }
        if let name = watching.picture { try Self.check(name, files: files, option: "--waterfall") }
        if let archive = watching.archive, let picture = watching.picture, files.path(archive) == files.path(picture) {
            throw CommandFault("--har and --waterfall name the same file, '\(picture)'; name two")
        }
    }

    /// Adds the recorder, the middleware and the event monitor to a session's configuration, as far as they are needed.
    func watch(_ configuration: inout Session.Configuration) {
        configuration.recorder = recorder
        if recorder != nil || watching.picture != nil || trace != nil { configuration.middleware.append(self) }
        if let trace { configuration.eventMonitors.append(trace) }
    }

    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        contexts.withLock { $0.append(context) }
        return try await next(request, context: context)
    }

    /// Writes the files after the request has ended, successfully or not.
    ///
    /// - Parameter outcome: The outcome of the request.
    /// - Returns: The same outcome, or the error of a file if the request succeeded.
    func finish(_ outcome: Result<ExitCode, any Error>) async -> Result<ExitCode, any Error> {
        await settle()
        await trace?.flush()
        do {
            if let name = watching.archive, let recorder {
                try Self.file(name, files, of: "--har") { url throws(ApusError) in try recorder.write(to: url) }
            }
            if let name = watching.picture {
                let metrics = contexts.withLock { $0 }.map(\.metrics)
                let picture = Data(Waterfall(metrics).svg().utf8)
                try Self.write(picture, to: name, files: files, option: "--waterfall")
            }
        } catch {
            if case .success = outcome { return .failure(error) }
        }
        return outcome
    }

    /// Waits until all exchanges have recorded their end, which another thread does shortly after the last byte.
    private func settle() async {
        let contexts = contexts.withLock { $0 }
        for _ in 0..<100 where contexts.contains(where: { $0.metrics.exchanges.contains { $0.end == nil } }) {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Throws if the file of an option can't be written. Creates and changes nothing.
    static func check(_ name: String, files: Files, option: String) throws(CommandFault) {
        try DownloadFile.check(replacing: name, files: files, option: option)
        // Replacing the file would also discard the output written to it.
        if FileDescriptor.isOutput(files.path(name)) {
            throw CommandFault("'\(name)' is the file of the output; name another file with \(option)")
        }
        try file(name, files, of: option) { url throws(ApusError) in try ReplacedFile(url).check() }
    }

    /// Writes the data to an option's file, completely or not at all.
    static func write(_ data: Data, to name: String, files: Files, option: String) throws(CommandFault) {
        try file(name, files, of: option) { url throws(ApusError) in try ReplacedFile(url).write(data) }
    }

    /// Calls `work` with the URL of an option's file, and adds the option to its error.
    private static func file(
        _ name: String,
        _ files: Files,
        of option: String,
        _ work: (URL) throws(ApusError) -> Void
    ) throws(CommandFault) {
        do throws(ApusError) {
            try work(URL(fileURLWithPath: files.path(name)))
        } catch {
            throw CommandFault("\(error.detail); name another file with \(option)")
        }
    }
}
