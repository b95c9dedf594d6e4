internal import Apus
internal import HTTPTypes

/// Writes the body of a response to the destination of `--download`.
struct Download {
    let destination: Invocation.Destination
    let console: Console
    let isQuiet: Bool
    /// The limit on the whole request, for its error message.
    let timeout: Duration?
    /// The path and query of the typed URL. The file name is taken from it, and not from the target of a redirect.
    let initialPath: String

    /// Saves the body and shows the progress.
    func save(_ response: StreamedResponse) async throws {
        var progress = ProgressDisplay(console.error, total: response.expectedLength, isQuiet: isQuiet)
        let file = try open(response)
        do {
            for try await chunk in response.body {
                try chunk.withUnsafeBytes { bytes in
                    if let file { try file.write(bytes) } else { try console.output.sink.write(bytes) }
                }
                progress.add(chunk.count)
            }
        } catch {
            progress.clear()
            throw brokenOff(error, progress, file)
        }
        progress.finish(file.map { "'\($0.name)'" })
    }

    /// Opens the file. Returns `nil` for standard output.
    private func open(_ response: StreamedResponse) throws(CommandFault) -> DownloadFile? {
        switch destination {
        case .standardOutput: return nil
        case .file(let name): return try DownloadFile(replacing: name, files: console.files)
        case .newFile:
            let name = SuggestedFileName.name(
                disposition: response.fields[.contentDisposition],
                path: initialPath,
                suffix: response.fields[.contentType].flatMap(MediaTypes.suffix(ofType:))
            )
            return try DownloadFile(new: name, files: console.files)
        }
    }

    private func brokenOff(_ error: any Error, _ progress: ProgressDisplay, _ file: DownloadFile?) -> any Error {
        guard let file, let fault = FaultSentence.fault(for: error, timeout: timeout) else { return error }
        return CommandFault(
            "\(fault.sentence) (the received part, \(progress.received), is in '\(file.name)')",
            exitCode: fault.exitCode
        )
    }
}
