internal import Apus
internal import Foundation
internal import HTTPTypes

/// Writes the body of a response to the destination of `--download`.
struct Download {
    let destination: Invocation.Destination
    let console: Console
    let isQuiet: Bool
    /// The limit on the whole request, for its error message.
    let timeout: Duration?
    /// The digest that the body must have, or `nil` for any.
    let checksum: ContentDigest?
    let method: HTTPRequest.Method
    /// The typed URL. The file name is taken from it, and not from the target of a redirect.
    let target: TargetURI
    /// Whether the body has a content coding, so that a range counts other bytes than those of the file.
    let isCoded: Bool

    /// Saves the body and shows the progress.
    ///
    /// - Parameters:
    ///   - response: The response, which is not refused.
    ///   - part: The part that was opened before the request, or `nil` to choose one.
    ///   - verdict: The use of the body for that part.
    /// - Throws: The errors of reading and of writing, or `CommandFault` for another digest than `checksum`.
    func save(
        _ response: ReceivedResponse,
        in part: DownloadPart?,
        _ verdict: RangeResumption.Verdict
    ) async throws {
        let chosen: DownloadPart? = if let part { part } else { try await chosenPart(response) }
        if let chosen {
            try await receive(response, into: chosen, verdict)
        } else {
            try await pass(response)
        }
    }

    /// Opens the part of the file. Returns `nil` for a destination that is written directly.
    private func chosenPart(_ response: ReceivedResponse) async throws(CommandFault) -> DownloadPart? {
        switch destination {
        case .standardOutput: return nil
        case .file(let name): return try DownloadPart.replacing(name, files: console.files)
        case .newFile:
            let name = SuggestedFileName.name(
                disposition: response.fields[.contentDisposition],
                path: target.path,
                suffix: response.fields[.contentType].flatMap(MediaTypes.suffix(ofType:))
            )
            return try await DownloadPart.new(name, files: console.files)
        }
    }
}

// MARK: A file with a part

extension Download {
    /// Receives the body, or the rest of it, and moves the file to its place.
    private func receive(
        _ response: ReceivedResponse,
        into part: DownloadPart,
        _ verdict: RangeResumption.Verdict
    ) async throws {
        var (offset, total) = (Int64(0), response.expectedLength)
        if case .continues(let position, let length) = verdict { (offset, total) = (position, length) }
        var display = ProgressDisplay(console.error, name: part.name, after: offset, total: total, isQuiet: isQuiet)
        let digest = checksum.map { DigestCheck($0, from: .option) }
        let canContinue = canContinue(response, verdict)
        do {
            if case .continues = verdict {
                try await part.file.resume(at: offset)
                try await digest?.update(from: part.file)
            } else {
                try await part.begin(record(of: response))
            }
            var body = response.body.makeAsyncIterator()
            let count = try await part.file.append(
                digest: digest?.update,
                progress: { size in
                    if let line = display.line(after: size, of: total) { display.show(line) }
                }
            ) { () async throws(ApusError) in
                try await body.next()
            }
            if case .continues(_, let total?) = verdict { try await check(count, of: total, response, part, offset) }
        } catch {
            display.clear()
            throw await brokenOff(error, part, display, canContinue)
        }
        if let failure = mismatch(digest?.received, part.name) {
            display.clear()
            await part.file.discard()
            throw failure
        }
        do {
            try await place(part)
        } catch {
            display.clear()
            throw await brokenOff(error, part, display, canContinue)
        }
        display.finish("'\(part.name)'")
    }

    /// Returns the record of the file. That of a body that no range can continue has no validator.
    private func record(of response: ReceivedResponse) -> PartialFileRecord {
        PartialFileRecord(
            url: target.uri,
            validator: canContinue(response, .replaces) ? EntityValidator(in: response.fields) : nil,
            total: isCoded ? nil : response.expectedLength
        )
    }

    /// Whether a later request can ask for the rest of the body. It can't if the user has asked for a range.
    private func canContinue(_ response: ReceivedResponse, _ verdict: RangeResumption.Verdict) -> Bool {
        guard method == .get, !isCoded else { return false }
        if case .continues = verdict { return true }
        return [200, 203].contains(response.status.code)
    }

    /// Throws unless the rest was complete. A server may send less of it, and must not send more.
    private func check(
        _ count: Int64,
        of total: Int64,
        _ response: ReceivedResponse,
        _ part: DownloadPart,
        _ offset: Int64
    ) async throws {
        if count == total { return }
        if count > total { try await part.file.resume(at: offset) }
        throw CommandFault("\(response.target) sent \(count - offset) bytes, but \(total - offset) are missing")
    }

    private func place(_ part: DownloadPart) async throws {
        do throws(ApusError) {
            try await part.file.place()
        } catch {
            guard error.code == .fileExists else { throw error }
            throw CommandFault("'\(part.name)' was created by another program; name another file with --output")
        }
    }

    /// Closes the part, and returns the error with the remedy.
    private func brokenOff(
        _ error: any Error,
        _ part: DownloadPart,
        _ display: ProgressDisplay,
        _ canContinue: Bool
    ) async -> any Error {
        let count = await part.close()
        guard count > 0, let fault = FaultSentence.fault(for: error, timeout: timeout) else { return error }
        var place = "the received part, \(display.share(count)), is in '\(part.partName)'"
        if canContinue {
            // The server may have chosen another name than that of the URL.
            let isFound = destination != .newFile || part.name == Continuation.name(in: target.path)
            place += "; go on with --continue" + (isFound ? "" : " --output '\(part.name)'")
        }
        return CommandFault("\(fault.sentence) (\(place))", exitCode: fault.exitCode)
    }

    /// Returns the error of a body that has another digest, or `nil` if it has the right one.
    private func mismatch(_ received: [UInt8]?, _ name: String?) -> CommandFault? {
        guard let checksum, let received, received != checksum.bytes else { return nil }
        let digits = ContentDigest(checksum.algorithm, bytes: received)?.hexadecimal ?? ""
        let subject = name.map { "'\($0)'" } ?? "the body"
        let consequence = name == nil ? "it was passed on" : "nothing was saved"
        return CommandFault(
            """
            \(subject) has the \(checksum.algorithm.title) digest \(digits), but --checksum expects \
            \(checksum.hexadecimal); \(consequence)
            """
        )
    }
}

// MARK: Standard output, devices and pipes

extension Download {
    /// Writes the body to a destination that has no part.
    private func pass(_ response: ReceivedResponse) async throws {
        let file: DownloadFile? =
            if case .file(let name) = destination {
                try DownloadFile(replacing: name, files: console.files)
            } else {
                nil
            }
        var display = ProgressDisplay(
            console.error,
            name: file?.name,
            total: response.expectedLength,
            isQuiet: isQuiet
        )
        var digest = checksum.map { DigestStream($0.algorithm) }
        do {
            for try await chunk in response.body {
                digest?.update(chunk)
                try chunk.withUnsafeBytes { bytes in
                    if let file { try file.write(bytes) } else { try console.output.sink.write(bytes) }
                }
                display.add(chunk.count)
            }
        } catch {
            display.clear()
            guard let file, let fault = FaultSentence.fault(for: error, timeout: timeout) else { throw error }
            throw CommandFault(
                "\(fault.sentence) (the received part, \(display.share(display.completed)), is in '\(file.name)')",
                exitCode: fault.exitCode
            )
        }
        if let failure = mismatch(digest?.finish(), nil) {
            display.clear()
            throw failure
        }
        display.finish(file.map { "'\($0.name)'" })
    }
}
