internal import Apus
internal import HTTPTypes

extension Run {
    /// Prepares the file of `--segments`. Returns `nil` without the flag.
    ///
    /// The library opens the part of the file again. Without `--continue` it is empty by then.
    func fileInSegments(of plan: RequestPlan, _ continuation: Continuation?) async throws -> FileInSegments? {
        guard let count = invocation.transfers.segments else { return nil }
        try plan.checkRanges(for: "--segments")
        let destination = invocation.download
        let part: DownloadPart
        var earlier: Int64 = 0
        if let continuation {
            part = continuation.part
            earlier = part.file.received.byteCount
            guard earlier == 0 || part.file.record?.validator != nil else {
                throw CommandFault(
                    "'\(part.partName)' can't be continued in segments; leave out --segments, or --continue"
                )
            }
            if earlier == 0 { try await part.clear(for: plan.target.uri) } else { await part.close() }
        } else {
            part = try await FileInSegments.part(for: destination, of: plan, files: console.files)
            try await part.clear(for: plan.target.uri)
        }
        return FileInSegments(
            count: count,
            part: part,
            replaces: destination != .newFile,
            isFound: destination != .newFile || part.name == Continuation.name(in: plan.target.path),
            earlier: earlier,
            checksum: invocation.checksum,
            console: console,
            isQuiet: invocation.isQuiet,
            timeout: invocation.timeout
        )
    }

    /// Shows the outcome of a download in segments.
    func finish(
        _ outcome: FileInSegments.Outcome,
        of file: FileInSegments,
        _ transcript: Transcript,
        _ selection: OutputSelection
    ) async throws -> ExitCode {
        let response = outcome.response
        if response.response != nil {
            try await transcript.showFinalHeads()
            showConnection(response.metrics)
        }
        var exitCode = ExitCode.success
        if response.error?.code == .unacceptableStatus, let head = response.response, let target = response.target,
            head.status.kind != .successful
        {
            exitCode = try judge(head.status, head.headerFields, of: target, selection)
            guard exitCode != .success else {
                throw CommandFault("\(target) returned \(head.status.code); nothing was saved")
            }
        } else {
            try file.settle(outcome)
        }
        if selection.contains(.metrics) { try await transcript.show(lines: MetricsLines.lines(response.metrics)) }
        return exitCode
    }
}
