package import ApusCore
internal import Foundation

/// Performs transfers with the requests of a session.
///
/// A download keeps its part beside the destination when it fails, and continues it (`.resumePartialFile`). The file is
/// read once more when it is complete, for its digest. That is the one that `placing` gets, and it is recorded before
/// the file is moved, so that the next run recognizes a file that was moved before a kill.
package struct SessionTransferPerformer: TransferPerforming {
    /// The file of the latest attempt of a request, or the reason why it is not moved.
    private final class LatestFile: Sendable {
        let result = Lock<Result<FileFingerprint, ApusError>?>(nil)
    }

    private static let progressQueue = DispatchQueue(label: "apus.transfer-progress")
    private static let fileQueue = DispatchQueue(label: "apus.transfer-files", attributes: .concurrent)

    let session: Session

    package init(session: Session) {
        self.session = session
    }

    package func perform(
        _ transfer: Transfer,
        placing: @escaping @Sendable (FileFingerprint) throws(ApusError) -> Void,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(ApusError) -> FileFingerprint {
        guard transfer.kind == .download else {
            throw ApusError(.invalidRequest, "this version has no transfers of the kind '\(transfer.kind.rawValue)'")
        }
        var options = try transfer.options
        if let segments = transfer.segments { options[DownloadSegments.self] = segments }
        if let digest = transfer.expectedDigest { options[ExpectedDigest.self] = digest }
        var place: DownloadDestination.Options = [.resumePartialFile, .createIntermediateDirectories]
        if transfer.replaces { place.insert(.removePreviousFile) }
        let destination = DownloadDestination.file(transfer.destination, options: place)
        let latest = LatestFile()
        let request = session.download(
            transfer.url,
            fields: RequestFields(transfer.fields),
            to: destination,
            options: options
        )
        .validate()
        .validate { _, _, file in
            Self.inspect(file, of: transfer, latest, placing)
        }
        .downloadProgress(queue: Self.progressQueue) { progress($0) }
        let outcome = await Self.outcome(of: request)
        let inspected = latest.result.withLock { $0 }
        if case .failure(let error) = outcome {
            guard error.code == .cancelled, case .failure(let reason)? = inspected else { throw error }
            throw reason
        }
        let file: FileFingerprint
        if case .success(let latest)? = inspected {
            file = latest
        } else {
            file = try await Self.blocking { () throws(ApusError) in try FileFingerprint(of: transfer.destination) }
        }
        guard Self.isExpected(file, of: transfer) else {
            throw ApusError(
                .validationFailed,
                "'\(transfer.destination.path(percentEncoded: false))' has another SHA-256 digest than expected"
            )
            .with(file: transfer.destination)
        }
        return file
    }

    /// Waits for the end of a download, and for its reports of progress, so that none of them follows its end.
    private static func outcome(of request: DownloadRequest) async -> Result<URL, ApusError> {
        let outcome = await request.serializingURL().result
        let isReported = Deferred<Void>()
        progressQueue.async { isReported.fulfill(()) }
        await isReported.value
        return outcome
    }

    /// Runs as the last validator of a download, on the file before it is moved. Blocks.
    ///
    /// If the file can't be read or recorded, the request ends as cancelled: a download keeps its complete part then,
    /// but would remove a rejected one.
    private static func inspect(
        _ url: URL,
        of transfer: Transfer,
        _ latest: LatestFile,
        _ placing: (FileFingerprint) throws(ApusError) -> Void
    ) -> ValidationResult {
        do throws(ApusError) {
            let file = try FileFingerprint(of: url)
            // Another file is refused by the download itself, with both digests.
            if isExpected(file, of: transfer) { try placing(file) }
            latest.result.withLock { $0 = .success(file) }
            return .success(())
        } catch {
            latest.result.withLock { $0 = .failure(error) }
            return .failure(ApusError(.cancelled, "its file can't be moved into place", underlying: error))
        }
    }

    /// Whether the file has the expected digest, if that is by SHA-256. The download itself compares any other.
    private static func isExpected(_ file: FileFingerprint, of transfer: Transfer) -> Bool {
        guard let digest = transfer.expectedDigest?.digest, digest.algorithm == .sha256 else { return true }
        return digest.hexadecimal == file.sha256
    }

    package func finds(_ file: FileFingerprint, of transfer: Transfer) async -> Bool {
        guard Self.isExpected(file, of: transfer) else { return false }
        let found = Deferred<Bool>()
        Self.fileQueue.async { found.fulfill(file.matches(transfer.destination)) }
        guard await found.value else { return false }
        await discard(transfer)
        return true
    }

    package func discard(_ transfer: Transfer) async {
        guard transfer.kind == .download else { return }
        let part = try? await Self.blocking { () throws(ApusError) in
            try PartialFile(
                for: transfer.destination,
                naming: .stable,
                replaces: true,
                makesFolders: false,
                counters: nil
            )
        }
        // The bytes of another program stay.
        if let part, part.hasUnknownOrigin { await part.keep() } else { await part?.discard() }
    }

    static func blocking<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ApusError) -> Value
    ) async throws(ApusError) -> Value {
        let outcome = Deferred<Result<Value, ApusError>>()
        fileQueue.async { outcome.fulfill(Result(catching: work)) }
        return try await outcome.value.get()
    }
}

extension Transfer {
    /// The options of all requests of the transfer.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` if its trust was damaged.
    var options: RequestOptions {
        get throws(ApusError) {
            var options: RequestOptions = [priority]
            if let trust { options[ServerTrust.self] = try trust.option }
            return options
        }
    }
}
