internal import ApusCore
internal import ApusPlatform
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusTransfers

/// A process runs a queue, while this one changes its transfers.
@Suite(.timeLimit(.minutes(5))) struct TransferQueueProcessTests {
    /// A folder with a queue, the process that runs it, and the server of its files.
    private struct Bed {
        let folder: URL
        let server: TestServer
        /// Changes the transfers, and never runs them.
        let queue: TransferQueue

        var queueFolder: URL { folder.appending(path: "queue") }
        var files: URL { folder.appending(path: "files") }

        func start() throws -> QueueChild {
            try QueueChild(running: queueFolder, events: folder.appending(path: "events"))
        }

        func transfer(_ name: String) throws(ApusError) -> Transfer {
            try Transfer(
                server.url("/\(name)"),
                to: files.appending(path: name),
                id: TransferID(rawValue: name)
            )
        }

        /// The size of the part of a file. 0 if there is none.
        func partByteCount(of name: String) -> Int64 {
            FileStatus(path: files.appending(path: "\(name).part").path(percentEncoded: false))?.size ?? 0
        }

        /// Whether the process has taken up all changes.
        var isTakenUp: Bool { (try? names(in: queueFolder.appending(path: "incoming"))) == [] }

        var states: [String] {
            get async throws { try await queue.transfers.map { "\($0.id) \($0.state.rawValue)" } }
        }

        /// The first two words of the events of all processes, sorted.
        var events: [String] {
            get throws {
                let lines = try text(folder.appending(path: "events")).split(separator: "\n")
                let words = lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
                return words.filter { !$0.hasPrefix("ready") }.sorted()
            }
        }
    }

    private static let content = "0123456789abcdefghijklmnopqrstuvwxyzABCD"

    /// The head of the file, and its first 20 bytes. No more follows.
    private static let half: [Step] = [
        .expectHead, .send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 40\r\n\r\n\(content.prefix(20))"),
        .silence,
    ]
    /// The last 20 bytes of the file.
    private static let rest: [Step] = [
        .expectHead,
        .send(
            "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes 20-39/40\r\n"
                + "Content-Length: 20\r\n\r\n\(content.suffix(20))"
        ),
        .silence,
    ]

    /// The whole file, once the gate is open.
    private static func whole(after gate: Gate) -> [Step] {
        [
            .expectHead, .wait(gate),
            .send("HTTP/1.1 200 OK\r\nETag: \"2\"\r\nContent-Length: 40\r\n\r\n\(content)"), .silence,
        ]
    }

    private func withBed(_ scripts: [[Step]], _ work: (Bed) async throws -> Void) async throws {
        try await inFolder { folder in
            let behavior = TestServer.Behavior.scripts(scripts.map { Script(steps: $0) })
            try await TestServer.with(behavior: behavior) { server in
                let queue = try TransferQueue(
                    folder: folder.appending(path: "queue"),
                    performer: FakePerformer(),
                    time: ManualClock()
                )
                try await work(Bed(folder: folder, server: server, queue: queue))
            }
        }
    }

    /// The transfer is paused and resumed while another one keeps the process running.
    @Test func pausesAndResumesARunningTransfer() async throws {
        let gate = Gate()
        try await withBed([Self.half, Self.whole(after: gate), Self.rest]) { bed in
            let id = try await bed.queue.add(bed.transfer("a"))
            let child = try bed.start()
            defer { child.stop() }
            #expect(await eventually { bed.partByteCount(of: "a") == 20 })
            try await bed.queue.add(bed.transfer("b"))
            await bed.server.waitForRequests(atLeast: 2)
            try await bed.queue.pause(id)
            #expect(await eventually { bed.isTakenUp })
            #expect(try await bed.states == ["a paused", "b running"])
            #expect(bed.partByteCount(of: "a") == 20)
            try await bed.queue.resume(id)
            await bed.server.waitForRequests(atLeast: 3)
            gate.open()
            #expect(await child.ending.value == 0)
            #expect(try await bed.states == ["a finished", "b finished"])
            #expect(try bed.events == ["finished a", "finished b", "started a", "started a", "started b"])
            #expect(bed.server.requests.map { $0["Range"] } == [nil, nil, "bytes=20-"])
            for name in ["a", "b"] { #expect(try text(bed.files.appending(path: name)) == Self.content) }
            #expect(try names(in: bed.files) == ["a", "b"])
        }
    }

    /// A process with nothing left to do ends. The next one continues the transfer.
    @Test func pausesTheLastTransfer() async throws {
        try await withBed([Self.half, Self.rest]) { bed in
            let id = try await bed.queue.add(bed.transfer("a"))
            let first = try bed.start()
            defer { first.stop() }
            #expect(await eventually { bed.partByteCount(of: "a") == 20 })
            try await bed.queue.pause(id)
            #expect(await first.ending.value == 0)
            #expect(try await bed.states == ["a paused"])
            #expect(try names(in: bed.files) == ["a.part", "a.part.json"])
            let idle = try bed.start()
            defer { idle.stop() }
            #expect(await idle.ending.value == 0)
            #expect(bed.server.requestCount == 1)
            try await bed.queue.resume(id)
            let second = try bed.start()
            defer { second.stop() }
            #expect(await second.ending.value == 0)
            #expect(try bed.events == ["finished a", "started a", "started a"])
            #expect(bed.server.requests.map { $0["Range"] } == [nil, "bytes=20-"])
            #expect(try text(bed.files.appending(path: "a")) == Self.content)
            #expect(try names(in: bed.files) == ["a"])
        }
    }

    /// The part of the removed transfer is gone before the process ends.
    @Test func removesARunningTransfer() async throws {
        let gate = Gate()
        try await withBed([Self.half, Self.whole(after: gate)]) { bed in
            let id = try await bed.queue.add(bed.transfer("a"))
            let child = try bed.start()
            defer { child.stop() }
            #expect(await eventually { bed.partByteCount(of: "a") == 20 })
            try await bed.queue.add(bed.transfer("b"))
            await bed.server.waitForRequests(atLeast: 2)
            try await bed.queue.remove(id)
            #expect(await eventually { bed.isTakenUp && bed.partByteCount(of: "a") == 0 })
            #expect(try await bed.states == ["b running"])
            gate.open()
            #expect(await child.ending.value == 0)
            #expect(try await bed.states == ["b finished"])
            #expect(try bed.events == ["finished b", "removed a", "started a", "started b"])
            #expect(try names(in: bed.files) == ["b"])
        }
    }

    /// One process at a time runs a queue.
    @Test func isNotRunByASecondProcess() async throws {
        let gate = Gate()
        try await withBed([Self.whole(after: gate)]) { bed in
            try await bed.queue.add(bed.transfer("a"))
            let child = try bed.start()
            defer { child.stop() }
            await bed.server.waitForRequests(atLeast: 1)
            let error = await failure { try await bed.queue.run() }
            #expect(error?.detail.contains("is run by another process") == true)
            let second = try bed.start()
            defer { second.stop() }
            #expect(await second.ending.value == 1)
            gate.open()
            #expect(await child.ending.value == 0)
            #expect(try await bed.states == ["a finished"])
            #expect(try text(bed.files.appending(path: "a")) == Self.content)
        }
    }
}
