internal import Apus
internal import HTTPTypes

/// The part that `--continue` goes on with, and the request for its rest.
struct Continuation {
    /// The part. Without an earlier download it is empty.
    let part: DownloadPart
    private let resumption: RangeResumption

    /// Opens the part.
    ///
    /// - Parameters:
    ///   - destination: The destination of the download.
    ///   - plan: The request from the command line.
    ///   - files: Resolves the name of the file.
    /// - Returns: The continuation.
    /// - Throws: `CommandFault` if the request can't be one for the rest of a file, if the file has no name yet, if its
    ///   part can't be used, or if the part belongs to another URL.
    static func open(
        _ destination: Invocation.Destination?,
        _ plan: RequestPlan,
        files: Files
    ) async throws(CommandFault) -> Continuation {
        try plan.checkRanges(for: "--continue")
        let part = try part(of: destination, path: plan.target.path, files: files)
        let record = part.file.record
        if let record, !record.belongs(to: plan.target.uri) {
            await part.close()
            throw CommandFault(
                """
                '\(part.partName)' is the part of another file, \(Redaction.url(record.url)); name another file with \
                --output, or leave out --continue to begin anew
                """
            )
        }
        return Continuation(
            part: part,
            resumption: RangeResumption(
                offset: part.file.received.prefixByteCount,
                validator: record?.validator,
                total: record?.total
            )
        )
    }

    private static func part(
        of destination: Invocation.Destination?,
        path: String,
        files: Files
    ) throws(CommandFault) -> DownloadPart {
        switch destination {
        case .file(let name):
            if let part = try DownloadPart.replacing(name, files: files) { return part }
            throw CommandFault("--continue needs a part beside the file, which '\(name)' can't have; name another file")
        case .newFile:
            if let name = name(in: path) { return try DownloadPart.continuing(name, files: files) }
            throw CommandFault("--continue needs the name of the file, and the URL has none; add --output FILE")
        case .standardOutput, nil:
            throw Invocation.continuesNoFile
        }
    }

    /// Returns the name of the file by the URL alone, since the part is needed before there is a response.
    static func name(in path: String) -> String? {
        let component = path.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
        return SuggestedFileName.reduced(PercentEncoding.decode(component))
    }
}

extension Continuation {
    /// Whether an earlier download has received bytes, so that only the rest is requested.
    var requestsRest: Bool { resumption.offset > 0 }

    /// Returns the request for the rest.
    func prepared(_ message: RequestMessage) -> RequestMessage {
        var message = message
        resumption.prepare(&message.fields)
        return message
    }

    /// Returns the use of the response to the request for the rest.
    func verdict(on response: ReceivedResponse) -> RangeResumption.Verdict {
        resumption.verdict(on: response.status, response.fields)
    }
}
