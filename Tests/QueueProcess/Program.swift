internal import Apus
internal import ApusPlatform
internal import Foundation

/// Runs the queue in a folder, and writes each of its events as a line to a file: `QueueProcess FOLDER EVENTS`.
///
/// The tests of queues start and kill it, in ApusTransfersTests. It is no product.
@main struct Program {
    static func main() async {
        let arguments = ProcessInfo.processInfo.arguments
        guard arguments.count == 3, let events = EventFile(arguments[2]) else { exit(2) }
        events.append("ready \(getpid())")
        do {
            let writing = try await run(URL(filePath: arguments[1]), events)
            await writing.value
        } catch {
            events.append("error \(error)")
            exit(1)
        }
    }

    /// Runs the queue. Returns the task that writes its events, which ends after the last one.
    private static func run(_ folder: URL, _ file: EventFile) async throws -> Task<Void, Never> {
        var configuration = TransferQueue.Configuration()
        // Few, so that the log stays short and is compacted during a test.
        configuration.keptFinished = 20
        let queue = try TransferQueue(folder: folder, session: Session(), configuration: configuration)
        let events = queue.events
        let writing = Task {
            for await event in events {
                if let text = line(for: event) { file.append(text) }
            }
        }
        try await queue.run()
        // The queue is released now, so the sequence of its events ends.
        return writing
    }

    private static func line(for event: TransferEvent) -> String? {
        switch event {
        case .started(let id): "started \(id)"
        case .progress: nil
        case .finished(let id, let file): "finished \(id) \(file.byteCount) \(file.sha256)"
        case .uploaded(let id, let response): "uploaded \(id) \(response.status)"
        case .failed(let id, let error, let willRetry): "failed \(id) \(willRetry ? "for now" : "for good"): \(error)"
        case .removed(let id): "removed \(id)"
        case .fault(let fault): "fault \(fault)"
        }
    }
}
