internal import ApusCore
internal import ApusPlatform
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// A queue whose processes are killed, the server of its files, and what the processes have reported.
struct KillBed {
    /// The moment of a kill.
    enum Moment: CustomStringConvertible {
        /// After so many pieces and requests, which is at any stage of the transfers.
        case pieces(Int)
        /// So many turns of the executor after the start, which is while the queue is opened.
        case turns(Int)

        static func random(using generator: inout some RandomNumberGenerator) -> Moment {
            Int.random(in: 0..<6, using: &generator) == 0
                ? .turns(Int.random(in: 0..<20_000, using: &generator))
                : .pieces(Int.random(in: 1...150, using: &generator))
        }

        var description: String {
            switch self {
            case .pieces(let count): "\(count) pieces"
            case .turns(let count): "\(count) turns"
            }
        }
    }

    /// The transfers at a time: the default of the queue.
    static let concurrentTransfers = TransferQueue.Configuration().concurrentTransfers
    /// The transfers that are in the queue when a process starts.
    private static let unfinishedCount = 8

    let origin: KillOrigin
    let queue: TransferQueue
    private let server: TestServer
    private let folder: URL

    private init(_ folder: URL, _ origin: KillOrigin, _ server: TestServer) throws {
        self.folder = folder
        self.origin = origin
        self.server = server
        // It adds transfers, and never runs.
        queue = try TransferQueue(
            folder: folder.appending(path: "queue"),
            performer: FakePerformer(),
            time: ManualClock()
        )
    }

    /// Calls `work` with a bed in a temporary folder.
    static func with(_ work: (KillBed) async throws -> Void) async throws {
        try await inFolder { folder in
            let files = folder.appending(path: "files")
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: false)
            let origin = KillOrigin(filling: files)
            try await TestServer.with(behavior: .handler { origin.response(to: $0) }) { server in
                try await work(KillBed(folder, origin, server))
            }
        }
    }

    var queueFolder: URL { folder.appending(path: "queue") }
    private var events: URL { folder.appending(path: "events") }

    /// The lines that the processes have written.
    var lines: [String] {
        get throws { try text(events).split(separator: "\n").map(String.init) }
    }

    /// Adds transfers until there are enough to do. Every fourth file is small, some of the transfers have a digest.
    func addTransfers(using generator: inout some RandomNumberGenerator) async throws {
        let finishedCount = try names(in: origin.folder)
            .count(where: { !$0.hasSuffix(".part") && !$0.hasSuffix(".json") })
        let missingCount = Self.unfinishedCount - (origin.byteCounts.count - finishedCount)
        var transfers: [Transfer] = []
        for _ in 0..<max(0, missingCount) {
            let isSmall = Int.random(in: 0..<4, using: &generator) == 0
            let byteCount = Int.random(in: isSmall ? 0...20_000 : 200_000...1_400_000, using: &generator)
            let number = origin.addFile(byteCount: byteCount)
            let digest: ExpectedDigest? =
                if number.isMultiple(of: 2) {
                    try ExpectedDigest.sha256(KillOrigin.sha256(of: number, byteCount: byteCount))
                } else {
                    nil
                }
            transfers.append(
                try Transfer(
                    server.url("/\(number)"),
                    to: origin.destination(of: number),
                    id: TransferID(rawValue: KillOrigin.name(of: number)),
                    expectedDigest: digest
                )
            )
        }
        if !transfers.isEmpty { try await queue.add(contentsOf: transfers) }
    }

    /// Runs the queue in a process until a moment, or until its end.
    ///
    /// - Parameters:
    ///   - moment: The moment. `nil` lets the process end by itself.
    ///   - work: Called while the process starts.
    /// - Returns: Whether the process was killed.
    /// - Throws: An error of `work`, or of a process that does not start.
    func run(until moment: Moment?, during work: () async throws -> Void = {}) async throws -> Bool {
        let size = eventsSize
        let child = try QueueChild(running: queueFolder, events: events)
        defer {
            origin.disarm()
            child.stop()
        }
        if case .pieces(let count)? = moment { origin.kill(child, after: count) }
        try await work()
        if case .turns(let count)? = moment {
            while eventsSize == size, !child.hasEnded, !Task.isCancelled { await Task.yield() }
            for _ in 0..<count where !child.hasEnded { await Task.yield() }
            child.stop()
        }
        let status = await withTaskCancellationHandler {
            await child.ending.value
        } onCancel: {
            child.stop()
        }
        if status == -SIGKILL { return true }
        #expect(status == 0, "the process has ended by itself")
        return false
    }

    private var eventsSize: Int64 { FileStatus(path: events.path(percentEncoded: false))?.size ?? 0 }
}
