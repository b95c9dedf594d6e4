internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes

@testable internal import ApusTransfers

/// A folder with a queue and the files of its transfers, and a manual clock.
struct QueueBed: Sendable {
    let folder: URL
    let clock = ManualClock()

    /// The folder of the queue.
    var queueFolder: URL { folder.appending(path: "queue") }

    func queue(
        _ performer: FakePerformer,
        in queueFolder: URL? = nil,
        _ configure: (inout TransferQueue.Configuration) -> Void = { _ in }
    ) throws(ApusError) -> TransferQueue {
        var configuration = TransferQueue.Configuration()
        configure(&configuration)
        return try TransferQueue(
            folder: queueFolder ?? self.queueFolder,
            performer: performer,
            time: clock,
            configuration: configuration
        )
    }

    /// Returns the transfer of a file, whose identifier is its name.
    func transfer(
        _ name: String,
        priority: RequestPriority = .normal,
        retryLimit: Int = 5
    ) throws(ApusError) -> Transfer {
        try Transfer(
            "http://h.example/\(name)",
            to: folder.appending(path: name),
            id: TransferID(rawValue: name),
            priority: priority,
            retryLimit: retryLimit
        )
    }

    /// Creates a file, and returns the upload of it. Its identifier is its name.
    func upload(
        _ name: String,
        method: HTTPRequest.Method = .put,
        resumption: ResumableUpload.InteropVersion? = nil,
        beginsAnew: ResumableUpload.Policy.Beginning = .ifIdempotent,
        fields: RequestFields = [:],
        retryLimit: Int = 5
    ) throws -> Transfer {
        let file = folder.appending(path: name)
        try makeFile(file, "0123456789")
        return try Transfer(
            uploading: file,
            to: "http://h.example/\(name)",
            method: method,
            id: TransferID(rawValue: name),
            fields: fields,
            resumption: resumption,
            beginsAnew: beginsAnew,
            retryLimit: retryLimit
        )
    }

    /// Runs a queue, and returns the names of its events, without the reports of progress.
    func events(of performer: FakePerformer, in queueFolder: URL? = nil) async throws -> [String] {
        let stream = try await run(performer, queueFolder)
        // The queue is released now, so the stream ends.
        var names: [String] = []
        for await event in stream {
            if let name = event.name { names.append(name) }
        }
        return names
    }

    private func run(_ performer: FakePerformer, _ queueFolder: URL?) async throws -> AsyncStream<TransferEvent> {
        let queue = try queue(performer, in: queueFolder)
        let events = queue.events
        try await advancing { try await queue.run() }
        return events
    }

    /// Does some work, and advances the clock in steps of 100 ms while tasks sleep.
    func advancing(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let isOver = LockedValue(false)
        let task = Task {
            defer { isOver.value = true }
            try await work()
        }
        while !isOver.value {
            if clock.sleeperCount > 0 { clock.advance(by: .milliseconds(100)) }
            await Task.yield()
        }
        try await task.value
    }

    /// Copies the folder of the queue, as a kill would leave it now. Returns the copy.
    func copyOfQueue() throws -> URL {
        let copy = folder.appending(path: "copy-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.copyItem(at: queueFolder, to: copy)
        return copy
    }
}

extension TransferEvent {
    /// The event with the identifier of its transfer. `nil` for progress.
    var name: String? {
        switch self {
        case .started(let id): "started \(id)"
        case .progress: nil
        case .finished(let id, _): "finished \(id)"
        case .uploaded(let id, let response): "uploaded \(id) \(response.status)"
        case .failed(let id, let error, let willRetry): "failed \(id) \(error.code)\(willRetry ? " retry" : "")"
        case .removed(let id): "removed \(id)"
        case .fault(let fault): "fault: \(fault)"
        }
    }
}

/// Calls `work` with a bed in a temporary folder, which is removed afterwards.
func withBed(_ work: (QueueBed) async throws -> Void) async throws {
    try await inFolder { folder in try await work(QueueBed(folder: folder)) }
}
