internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

/// Tests the uploads of a queue with a performer that needs no session. Kills are copies of the files of the queue, as
/// in `TransferQueueKillTests`.
@Suite(.timeLimit(.minutes(5))) struct TransferQueueUploadTests {
    private let a = TransferID(rawValue: "a")

    private func states(_ queue: TransferQueue) async throws -> [String] {
        try await queue.transfers.map { "\($0.id) \($0.state.rawValue)" }
    }

    /// Returns the copy of the queue while its only upload is under way, and lets that end.
    private func killed(
        _ bed: QueueBed,
        during transfer: Transfer,
        with state: ResumableUpload.State? = nil
    ) async throws -> URL {
        let copy = LockedValue<URL?>(nil)
        let performer = FakePerformer(uploading: { _, _, keeping async throws(ApusError) in
            if let state { try await keeping(state) }
            do { copy.value = try bed.copyOfQueue() } catch {
                throw ApusError(wrapping: error, as: .fileUnreadable)
            }
            return TransferResponse(status: 200, body: Data())
        })
        try await bed.queue(performer).add(transfer)
        _ = try await bed.events(of: performer)
        return try #require(copy.value)
    }

    /// Returns a performer of uploads that never end by themselves.
    private func hangingPerformer() -> FakePerformer {
        FakePerformer(uploading: { _, _, _ async throws(ApusError) in
            _ = try await waitForCancellation()
            return TransferResponse(status: 200, body: Data())
        })
    }

    @Test func reportsTheResponseOnce() async throws {
        try await withBed { bed in
            let response = TransferResponse(status: 201, body: Data("done".utf8))
            let performer = FakePerformer(uploading: { _, _, _ in response })
            try await bed.queue(performer).add(bed.upload("a"))
            #expect(try await bed.events(of: performer) == ["started a", "uploaded a 201"])
            #expect(try await bed.events(of: performer) == [])
            let transfers = try await bed.queue(performer).transfers
            let queued = try #require(transfers.first)
            #expect(queued.state == .finished && queued.response == response)
            #expect(try await bed.events(of: performer, in: bed.copyOfQueue()) == [])
            try await bed.queue(performer).remove(a)
            #expect(try await bed.events(of: performer) == ["removed a"])
            #expect(performer.discarded.count == 0 && performer.withdrawn.count == 0)
            #expect(try text(bed.folder.appending(path: "a")) == "0123456789")
        }
    }

    // MARK: Kills

    /// The server may have received it, so it is sent again only if the user resumes it.
    @Test(arguments: [nil, ResumableUpload.InteropVersion.v6])
    func doesNotRepeatAPOST(resumption: ResumableUpload.InteropVersion?) async throws {
        try await withBed { bed in
            let upload = try bed.upload("a", method: .post, resumption: resumption)
            let copy = try await killed(bed, during: upload)
            let performer = FakePerformer()
            #expect(try await bed.events(of: performer, in: copy) == ["started a", "failed a connectionClosed"])
            #expect(performer.started.all == [])
            let queue = try bed.queue(performer, in: copy)
            let transfers = try await queue.transfers
            #expect(transfers.first?.failure?.text.contains("resume the transfer") == true)
            #expect(try await bed.events(of: performer, in: copy) == [])
            try await queue.resume(a)
            #expect(try await bed.events(of: performer, in: copy) == ["started a", "uploaded a 201"])
            #expect(try await bed.events(of: performer, in: copy) == [])
        }
    }

    @Test(arguments: 0..<3) func repeatsAnUploadIfThatIsAllowed(number: Int) async throws {
        try await withBed { bed in
            let upload =
                switch number {
                case 0: try bed.upload("a", method: .put)
                case 1: try bed.upload("a", method: .post, beginsAnew: .always)
                default: try bed.upload("a", method: .post, fields: ["Idempotency-Key": "7"])
                }
            let copy = try await killed(bed, during: upload)
            let performer = FakePerformer()
            #expect(try await bed.events(of: performer, in: copy) == ["started a", "uploaded a 201"])
            #expect(performer.started.all == ["a"])
        }
    }

    @Test func continuesFromTheRecordedState() async throws {
        try await withBed { bed in
            let state = RecordSamples.state()
            let upload = try bed.upload("a", method: .post, resumption: .v6)
            let copy = try await killed(bed, during: upload, with: state)
            let found = LockedValue<ResumableUpload.State?>(nil)
            let performer = FakePerformer(uploading: { _, state, _ in
                found.value = state
                return TransferResponse(status: 200, body: Data())
            })
            let queue = try bed.queue(performer, in: copy)
            let transfers = try await queue.transfers
            #expect(transfers.first?.confirmedByteCount == 4)
            #expect(try await bed.events(of: performer, in: copy) == ["started a", "uploaded a 200"])
            #expect(found.value == state)
        }
    }

    /// The run is cancelled and the queue is released, as if the program ended in between.
    @Test func isOpenedAgainAfterItWasDropped() async throws {
        try await withBed { bed in
            let performer = hangingPerformer()
            do {
                let queue = try bed.queue(performer)
                try await queue.add(contentsOf: [bed.upload("a", method: .post), bed.upload("b")])
                let run = Task { try await queue.run() }
                #expect(await eventually { performer.runningCount == 2 })
                run.cancel()
                _ = await run.result
            }
            let names = try await bed.events(of: FakePerformer())
            #expect(
                names.filter { $0.hasSuffix(" a") || $0.contains(" a ") } == ["started a", "failed a connectionClosed"]
            )
            #expect(names.filter { $0.contains(" b") } == ["started b", "uploaded b 201"])
        }
    }

    /// The log of a whole course, cut at any byte, leads to one report, and to no second POST.
    @Test func endsOnceAfterAKillAtAnyByteOfTheLog() async throws {
        try await withBed { bed in
            let performer = FakePerformer(uploading: { transfer, _, keeping async throws(ApusError) in
                try await keeping(RecordSamples.state(0))
                try await keeping(nil)
                return TransferResponse(status: 200, body: Data(transfer.id.rawValue.utf8))
            })
            try await bed.queue(performer).add(bed.upload("a", method: .post))
            _ = try await bed.events(of: performer)
            let bytes = try Data(contentsOf: bed.queueFolder.appending(path: "queue.log"))
            let records = RecordList(Array(bytes)).records
            let beginning = try RecordSamples.bytes(Array(records.prefix(2))).count
            for count in stride(from: beginning, through: bytes.count, by: 7) {
                let folder = bed.folder.appending(path: "cut-\(count)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try bytes.prefix(count).write(to: folder.appending(path: "queue.log"))
                let kept = RecordList(Array(bytes.prefix(count))).records
                let later = FakePerformer()
                let names = try await bed.events(of: later, in: folder)
                let wasStarted = kept.contains(.started(a))
                let hasState = kept.last == .uploading(a, RecordSamples.state(0))
                let isOver = kept.count == records.count
                let expected: [String] =
                    if isOver { [] } else if wasStarted, !hasState { ["started a", "failed a connectionClosed"] } else {
                        ["started a", "uploaded a 201"]
                    }
                #expect(names == expected, "cut at \(count)")
            }
        }
    }

    // MARK: Failures and changes

    @Test(arguments: [("POST", ["failed a unacceptableStatus"]), ("PUT", ["failed a unacceptableStatus retry"])])
    func retriesOnlyIfThatIsSafe(method: String, failure: [String]) async throws {
        try await withBed { bed in
            let attempts = LockedValue(0)
            let performer = FakePerformer(uploading: { _, _, _ throws(ApusError) in
                guard attempts.increased(by: 1) > 1 else {
                    throw ApusError(.unacceptableStatus, "busy").with(response: HTTPResponse(status: 503))
                }
                return TransferResponse(status: 201, body: Data())
            })
            let method = try #require(HTTPRequest.Method(rawValue: method))
            try await bed.queue(performer).add(bed.upload("a", method: method))
            let names = try await bed.events(of: performer)
            let isRetried = method == .put
            #expect(names == ["started a"] + failure + (isRetried ? ["started a", "uploaded a 201"] : []))
        }
    }

    @Test func failsAfterItWasPausedUnlessItIsResumedTwice() async throws {
        try await withBed { bed in
            let performer = hangingPerformer()
            let queue = try bed.queue(performer)
            try await queue.add(bed.upload("a", method: .post))
            let run = Task { try await queue.run() }
            #expect(await eventually { performer.runningCount == 1 })
            try await queue.pause(a)
            try await run.value
            #expect(try await states(queue) == ["a paused"])
            try await queue.resume(a)
            #expect(try await bed.events(of: FakePerformer()) == ["started a", "failed a connectionClosed"])
            try await queue.resume(a)
            #expect(try await bed.events(of: FakePerformer()) == ["started a", "uploaded a 201"])
        }
    }

    @Test func withdrawsARemovedUpload() async throws {
        try await withBed { bed in
            let performer = FakePerformer(uploading: { _, _, keeping async throws(ApusError) in
                try await keeping(RecordSamples.state())
                throw ApusError(.fileChanged, "no")
            })
            let queue = try bed.queue(performer)
            try await queue.add(bed.upload("a", resumption: .v6))
            try await queue.run()
            try await queue.remove(a)
            #expect(try await bed.events(of: performer) == ["removed a"])
            #expect(performer.withdrawn.all == ["http://h.example/uploads/1"])
            #expect(performer.discarded.count == 0)
            #expect(try await states(queue) == [])
        }
    }

    /// Its part at the server would be lost otherwise.
    @Test func keepsTheStateOfAPausedUpload() async throws {
        try await withBed { bed in
            let (barrier, outcome) = (Barrier(), LockedValue<ApusError.Code?>(nil))
            let performer = FakePerformer(uploading: { _, _, keeping async throws(ApusError) in
                await barrier.pass()
                do throws(ApusError) {
                    try await keeping(RecordSamples.state())
                } catch {
                    outcome.value = error.code
                    throw error
                }
                return TransferResponse(status: 200, body: Data())
            })
            let queue = try bed.queue(performer)
            try await queue.add(bed.upload("a"))
            let run = Task { try await queue.run() }
            await barrier.reached()
            try await queue.pause(a)
            #expect(await eventually { (try? names(in: bed.queueFolder.appending(path: "incoming"))) == [] })
            barrier.open()
            try await run.value
            #expect(outcome.value == .cancelled)
            #expect(try await states(queue) == ["a paused"])
            let transfers = try await queue.transfers
            #expect(transfers.first?.confirmedByteCount == 4)
        }
    }

    @Test func withdrawsAnUploadWhoseStateComesAfterItsRemoval() async throws {
        try await withBed { bed in
            let barrier = Barrier()
            let performer = FakePerformer(uploading: { _, _, keeping async throws(ApusError) in
                await barrier.pass()
                try await keeping(RecordSamples.state())
                return TransferResponse(status: 200, body: Data())
            })
            let queue = try bed.queue(performer)
            try await queue.add(bed.upload("a", resumption: .v6))
            let run = Task { try await queue.run() }
            await barrier.reached()
            try await queue.remove(a)
            #expect(await eventually { (try? names(in: bed.queueFolder.appending(path: "incoming"))) == [] })
            barrier.open()
            try await run.value
            #expect(performer.withdrawn.all == ["http://h.example/uploads/1"])
            #expect(try await states(queue) == [])
        }
    }

    /// A long upload confirms its bytes often.
    @Test func recordsOnlySomeOfTheConfirmedBytes() async throws {
        try await withBed { bed in
            let step = QueueLimits.confirmedBytes
            let performer = FakePerformer(uploading: { _, _, keeping async throws(ApusError) in
                for offset in [0, 1, step - 1, step, step + 1, 2 * step] {
                    try await keeping(RecordSamples.state(offset))
                }
                throw ApusError(.fileChanged, "no")
            })
            let queue = try bed.queue(performer)
            try await queue.add(bed.upload("a", resumption: .v6))
            try await queue.run()
            let offsets = try QueueLog.read(QueueFolder(bed.queueFolder).log).records.compactMap { record -> Int64? in
                if case .uploading(_, let state?) = record { state.offset } else { nil }
            }
            #expect(offsets == [0, step, 2 * step])
        }
    }
}
