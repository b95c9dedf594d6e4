internal import Apus
internal import ApusPlatform
internal import Foundation
internal import HTTPTypes

extension Run {
    /// Default fields of the command. The library adds none of them, so a transfer can be without them.
    private static let removableFields: Set<HTTPField.Name> = [.accept, .contentType, .userAgent]

    /// Adds the download or the upload to the queue, and sends nothing.
    @concurrent
    func addToQueue() async throws -> ExitCode {
        guard let folder = invocation.transfers.queue else { return .failure }
        let (plan, _) = try prepared()
        let transfer = try transfer(of: plan)
        let session = Session(configuration: Session.Configuration(), transport: OfflineTransport())
        var outcome = Result<Void, CommandFault>.success(())
        do throws(CommandFault) {
            let queue = try console.queue(in: folder, session: session)
            try await add(transfer, to: queue)
        } catch {
            outcome = .failure(error)
        }
        if !console.endsWithCommand { await session.shutdown(within: .zero) }
        try outcome.get()
        return .success
    }

    private func add(_ transfer: Transfer, to queue: TransferQueue) async throws(CommandFault) {
        do throws(ApusError) {
            try await queue.add(transfer)
        } catch {
            throw CommandFault("the transfer can't be added to the queue: \(error.detail)")
        }
    }

    /// Returns the request as a transfer.
    ///
    /// - Throws: `CommandFault` if a queue can't keep a part of it.
    private func transfer(of plan: RequestPlan) throws(CommandFault) -> Transfer {
        if case .file(let path) = plan.content, invocation.queuesUpload { return try upload(of: path, plan) }
        try plan.checkRanges(for: "--queue")
        guard plan.content.isNone else {
            throw CommandFault("--queue keeps no body but a whole file; write @FILE, or leave out the items for it")
        }
        try checkFields(of: plan)
        let file = try queuedFile(of: plan)
        do throws(ApusError) {
            return try Transfer(
                plan.target,
                to: URL(filePath: file, directoryHint: .notDirectory),
                fields: RequestFields(plan.fields),
                expectedDigest: invocation.checksum,
                segments: invocation.transfers.segments.map { DownloadSegments($0) },
                priority: priority,
                retryLimit: invocation.retryLimit,
                replaces: invocation.output != nil
            )
        } catch {
            throw CommandFault("the download can't be added to the queue: \(error.detail)")
        }
    }

    private func upload(of path: String, _ plan: RequestPlan) throws(CommandFault) -> Transfer {
        try checkFields(of: plan)
        // An open descriptor is another one in the process of the run.
        guard !["/dev/fd/", "/dev/std", "/proc/"].contains(where: { path.hasPrefix($0) }) else {
            throw CommandFault("--queue needs a file that stays, which '\(path)' does not; name a regular file")
        }
        let version = invocation.transfers.draftVersion?.version ?? .v6
        do throws(ApusError) {
            return try Transfer(
                uploading: URL(filePath: Files.absolute(path), directoryHint: .notDirectory),
                to: plan.target,
                method: plan.method,
                fields: RequestFields(plan.fields),
                resumption: invocation.transfers.isResumable ? version : nil,
                priority: priority,
                retryLimit: invocation.retryLimit
            )
        } catch {
            throw CommandFault("the upload can't be added to the queue: \(error.detail)")
        }
    }

    private var priority: RequestPriority { RequestPriority(rawValue: invocation.transfers.priority ?? 0) }

    /// Throws if a queue can't keep the credentials of a request, or a field away from it.
    private func checkFields(of plan: RequestPlan) throws(CommandFault) {
        if case .digest? = plan.credentials {
            throw CommandFault("--queue keeps no credentials for Digest; use another --auth-type, or leave it out")
        }
        if let name = plan.removedFields.subtracting(Self.removableFields).map(\.rawName).min() {
            throw CommandFault("--queue can't keep the field \(name) away; leave out the item '\(name):'")
        }
    }

    /// Returns the absolute path of the file. A relative name means the working directory of this command, and not that
    /// of the run.
    private func queuedFile(of plan: RequestPlan) throws(CommandFault) -> String {
        let files = console.files
        guard let name = invocation.output else {
            guard let name = Continuation.name(in: plan.target.path) else {
                throw CommandFault("--queue needs the name of the file, and the URL has none; add --output FILE")
            }
            let path = files.absolutePath("./\(name)")
            guard !FileStatus.isTaken(path) else {
                throw CommandFault("'\(name)' exists already; remove it, or name another file with --output")
            }
            return path
        }
        try DownloadFile.check(replacing: name, files: files)
        guard let path = DownloadPart.replaceable(files.path(name)) else {
            throw CommandFault("--queue needs a part beside the file, which '\(name)' can't have; name another file")
        }
        return Files.absolute(path)
    }
}
