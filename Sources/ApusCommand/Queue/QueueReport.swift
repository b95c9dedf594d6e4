internal import Apus
internal import Foundation

/// Reports a run of a queue: a line of JSON on standard output for each transfer that ends, and a line about the
/// progress on a terminal.
struct QueueReport: Sendable {
    /// The minimum time between two updates of the progress.
    private static let interval: Duration = .milliseconds(100)

    private let console: Console
    /// The limit on each request, for error messages.
    private let timeout: Duration?
    private let showsProgress: Bool
    /// The transfers of the queue that have not ended.
    private var transfers: [TransferID: QueuedTransfer] = [:]
    private var tally: QueueTally
    private var lastShown: MonotonicInstant?
    /// The reason why standard output could not be written. Nothing is written there after it.
    private(set) var fault: OutputFault?
    /// Whether a transfer has failed.
    private(set) var hasFailures = false

    init(_ invocation: Invocation, console: Console) {
        self.console = console
        self.timeout = invocation.timeout
        // The lines of --trace go to the same place.
        self.showsProgress = console.error.isTerminal && !invocation.isQuiet && !invocation.watching.traces
        self.tally = QueueTally(from: .now)
    }

    /// Reports an event of the queue.
    mutating func take(_ event: TransferEvent, from queue: TransferQueue) async {
        switch event {
        case .started(let id):
            if transfers[id] == nil { await read(queue, for: id) }
            tally.start(id, after: transfers[id]?.currentByteCount ?? 0)
        case .progress(let id, let progress):
            tally.note(id, progress.completed)
        case .finished(let id, let file):
            tally.note(id, file.byteCount)
            tally.end(id)
            write(QueueLine(file, of: take(id)))
        case .uploaded(let id, let response):
            let transfer = take(id)
            if let size = transfer?.upload?.byteCount { tally.note(id, size) }
            tally.end(id)
            write(QueueLine(response, of: transfer))
        case .failed(let id, let error, let willRetry):
            guard !willRetry else { break }
            tally.end(id)
            writeFailure(QueueLine(error: sentence(for: error), of: take(id), status: error.responseCode))
        case .removed(let id):
            tally.remove(id)
            transfers[id] = nil
        case .fault(let fault):
            take(fault)
        }
        show()
    }

    /// Clears the progress.
    mutating func end() {
        if lastShown != nil { try? console.error.write("\r\u{1B}[K") }
        lastShown = nil
    }

    /// Reads the transfers that wait, and the one that was started.
    private mutating func read(_ queue: TransferQueue, for id: TransferID) async {
        guard let queued = try? await queue.transfers else { return }
        for item in queued where item.id == id || [.waiting, .running].contains(item.state) {
            transfers[item.id] = item
            tally.add(item.id)
        }
    }

    /// Removes a transfer that has ended from those that have not, and returns it.
    private mutating func take(_ id: TransferID) -> Transfer? { transfers.removeValue(forKey: id)?.transfer }

    private func sentence(for error: ApusError) -> String {
        FaultSentence.fault(for: error, timeout: timeout)?.sentence ?? error.sentence
    }

    private mutating func take(_ fault: QueueFault) {
        switch fault {
        case .damagedRecord:
            // The record may be of a transfer that had ended, so it is no failure.
            end()
            console.report("\(fault)")
        case .damagedChange:
            writeFailure(QueueLine(error: "\(fault)", of: nil))
        }
    }

    private mutating func writeFailure(_ line: QueueLine) {
        hasFailures = true
        write(line)
    }

    private mutating func write(_ line: QueueLine) {
        guard fault == nil else { return }
        // Standard output may be the same terminal.
        end()
        do throws(OutputFault) {
            try console.output.write(line.text)
        } catch {
            fault = error
        }
    }

    private mutating func show(now: MonotonicInstant = .now) {
        guard showsProgress, fault == nil else { return }
        if let lastShown, lastShown.duration(to: now) < Self.interval { return }
        lastShown = now
        let line = tally.line(at: now).prefix(max(0, console.error.columns - 1))
        try? console.error.write("\r\u{1B}[K\(line)")
    }
}
