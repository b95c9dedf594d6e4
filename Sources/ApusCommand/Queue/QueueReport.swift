internal import Apus
internal import ApusPlatform
internal import Foundation

/// Reports a run of a queue: a line of JSON on standard output for each download that ends, and a line about the
/// progress on a terminal.
struct QueueReport: Sendable {
    /// The minimum time between two updates of the progress.
    private static let interval: Duration = .milliseconds(100)

    private let console: Console
    /// The limit on each request, for error messages.
    private let timeout: Duration?
    private let showsProgress: Bool
    /// The transfers of the queue that have not ended.
    private var transfers: [TransferID: Transfer] = [:]
    private var tally: QueueTally
    private var lastShown: MonotonicInstant?
    /// The reason why standard output could not be written. Nothing is written there after it.
    private(set) var fault: OutputFault?
    /// Whether a download has failed.
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
            tally.start(id, after: earlierBytes(of: id))
        case .progress(let id, let progress):
            tally.note(id, progress.completed)
        case .finished(let id, let file):
            tally.note(id, file.byteCount)
            tally.end(id)
            write(QueueLine(file, of: transfers.removeValue(forKey: id)))
        case .failed(let id, let error, let willRetry):
            guard !willRetry else { break }
            tally.end(id)
            writeFailure(sentence(for: error), of: transfers.removeValue(forKey: id))
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
            transfers[item.id] = item.transfer
            tally.add(item.id)
        }
    }

    private func earlierBytes(of id: TransferID) -> Int64 {
        guard let file = transfers[id]?.destination.path(percentEncoded: false) else { return 0 }
        return FileStatus(path: "\(file).part")?.size ?? 0
    }

    private func sentence(for error: ApusError) -> String {
        FaultSentence.fault(for: error, timeout: timeout)?.sentence ?? error.sentence
    }

    private mutating func take(_ fault: QueueFault) {
        switch fault {
        case .damagedRecord:
            // The record may be of a download that had ended, so it is no failure.
            end()
            console.report("\(fault)")
        case .damagedChange:
            writeFailure("\(fault)", of: nil)
        }
    }

    private mutating func writeFailure(_ sentence: String, of transfer: Transfer?) {
        hasFailures = true
        write(QueueLine(error: sentence, of: transfer))
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
