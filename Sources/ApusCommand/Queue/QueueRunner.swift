internal import Apus

/// Performs the transfers of `--queue`, until nothing is left to do.
///
/// A signal such as SIGINT ends the process at any moment. The queue is on the disk, so the next run goes on.
struct QueueRunner {
    let invocation: Invocation
    let console: Console

    /// Runs the queue, and prints a line for each transfer that ends.
    ///
    /// - Returns: The exit code: `failure` if a transfer has failed.
    /// - Throws: The error with which the run has ended.
    @concurrent
    func run() async throws -> ExitCode {
        guard let folder = invocation.transfers.queue else { return .failure }
        var configuration = try invocation.configuration(
            files: console.files,
            environment: console.environment,
            time: console.time,
            askPassword: console.askPassword
        )
        let trace = invocation.watching.traces ? TraceMonitor(console) : nil
        if let trace { configuration.eventMonitors.append(trace) }
        let session = Session(configuration: configuration)
        let knownHosts = session.hsts?.entries
        var outcome: Result<ExitCode, any Error>
        do {
            let queue = try console.queue(in: folder, session: session)
            outcome = .success(try await perform(queue))
        } catch {
            outcome = .failure(error)
        }
        await trace?.flush()
        if case .failure(let fault) = await Run.saved(session.hsts, unless: knownHosts), case .success = outcome {
            outcome = .failure(fault)
        }
        if !console.endsWithCommand { await session.shutdown(within: .zero) }
        return try outcome.get()
    }

    private func perform(_ queue: TransferQueue) async throws -> ExitCode {
        let events = queue.allEvents
        let work = Task { () async -> ApusError? in
            do throws(ApusError) {
                try await queue.run()
                return nil
            } catch {
                return error
            }
        }
        let blank = QueueReport(invocation, console: console)
        let reader = Task { () async -> QueueReport in
            var report = blank
            for await event in events {
                await report.take(event, from: queue)
                // There is no use in transfers that can't be reported. The queue keeps them.
                if report.fault != nil { work.cancel() }
            }
            report.end()
            return report
        }
        let failure = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        // This ends the sequence. Events that were reported before it are still read.
        reader.cancel()
        let report = await reader.value
        if let fault = report.fault { throw fault }
        if let failure { throw failure }
        return report.hasFailures ? .failure : .success
    }
}
