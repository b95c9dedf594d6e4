import Apus
import ApusTestServer
import ApusTesting
import Dispatch
import Foundation
import HTTPTypes
import Testing

/// Thousands of requests, many given up at random points: each completes once, and nothing stays.
///
/// `APUS_STRESS` is how many, of a process that runs no other suite; `APUS_SEED` makes a run come again.
@Suite(.serialized) struct StressTests {
    /// Whether the process is this suite's alone: beside other tests its growth says nothing.
    private static let isAlone = ProcessInfo.processInfo.environment["APUS_STRESS"] != nil
    private static let count = ProcessInfo.processInfo.environment["APUS_STRESS"].flatMap { Int($0) } ?? 5000
    private static let seed = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap { UInt64($0) } ?? 42

    /// Where a request is given up.
    private enum Surrender: CaseIterable {
        case never
        case beforeTheStart
        /// Wherever it is: in the queue, on its way out, in its answer.
        case afterSomeTurns
        /// The name server never answers.
        case inTheLookup
        /// The handshake never ends; over plain TCP, wherever it is.
        case inTheHandshake
        /// By its own content, when a few chunks were asked for.
        case whileSending
        case inTheContent
        case inASerializer
        case afterTheEnd

        /// Whether some of those who are given up there have to notice.
        var endsInCancellation: Bool {
            switch self {
            case .never, .inASerializer, .afterTheEnd: false
            case .beforeTheStart, .afterSomeTurns, .inTheLookup, .inTheHandshake, .whileSending, .inTheContent: true
            }
        }
    }

    /// Where requests go to.
    private struct Places {
        let origin: String
        let unresolved: String
        let stalled: String
    }

    private struct Job: Sendable {
        let surrender: Surrender
        let usesHandle: Bool
        let message: RequestMessage
        let turns: Int
        /// Called by the content of a request that is given up while it is sent.
        let trigger = Trigger()

        init(_ number: Int, _ places: Places, _ generator: inout SeededGenerator) throws {
            surrender =
                Bool.random(using: &generator) ? .never : Surrender.allCases.randomElement(using: &generator) ?? .never
            usesHandle = number.isMultiple(of: 2)
            turns = Int.random(in: 0..<300, using: &generator)
            switch surrender {
            case .inTheLookup: message = try RequestMessage(places.unresolved)
            case .inTheHandshake: message = try RequestMessage(places.stalled)
            case .whileSending:
                let trigger = trigger
                let body = RequestBody.replayable {
                    let asked = Tally()
                    return AsyncStream<BodyChunk>(unfolding: {
                        if asked.countUp() == 4 { trigger.fire() }
                        return asked.value < 1000 ? BodyChunk(repeatElement(0x78, count: 4096)) : nil
                    })
                }
                message = try RequestMessage(places.origin + "/upload", method: .post, body: body)
            default: message = try Self.ordinary(places.origin, &generator)
            }
        }

        private static func ordinary(_ origin: String, _ generator: inout SeededGenerator) throws -> RequestMessage {
            let path =
                ["/get", "/bytes/100", "/bytes/300000", "/chunked/20", "/close", "/redirect/2", "/gzip", "/upload"]
                .randomElement(using: &generator) ?? "/get"
            let content = RequestBody.bytes(Data(count: Int.random(in: 1...400_000, using: &generator)))
            let stream = RequestBody.replayable {
                AsyncStream<BodyChunk> { stream in
                    for _ in 0..<10 { stream.yield(BodyChunk("a chunk of ten")) }
                    stream.finish()
                }
            }
            return try RequestMessage(
                origin + path,
                method: path == "/upload" ? .post : .get,
                body: path == "/upload" ? (Bool.random(using: &generator) ? content : stream) : .none
            )
        }
    }

    /// Gives something up when it is fired, be it known what before or after that.
    private final class Trigger: Sendable {
        private let state = Lock<(isFired: Bool, action: (@Sendable () -> Void)?)>((false, nil))

        func fire() {
            state.withLock { state in
                state.isFired = true
                return state.action
            }?()
        }

        /// Lets go of what would be given up, which may hold this.
        func forget() { state.withLock { $0.action = nil } }

        func set(_ action: @escaping @Sendable () -> Void) {
            let isFired = state.withLock { state in
                state.action = action
                return state.isFired
            }
            if isFired { action() }
        }
    }

    /// Counts what came of the jobs.
    private final class Score: Sendable {
        let completed = Tally()
        let succeeded = Tally()
        private let unexpectedCodes = Lock<[ApusError.Code?: Int]>([:])
        private let cancelled = Lock<[Surrender: Int]>([:])

        func note(_ code: ApusError.Code?, of job: Job) {
            completed.countUp()
            switch code {
            case nil: succeeded.countUp()
            case .cancelled? where job.surrender != .never:
                cancelled.withLock { $0[job.surrender, default: 0] += 1 }
            default: unexpectedCodes.withLock { $0[code, default: 0] += 1 }
            }
        }

        var unexpected: [ApusError.Code?: Int] { unexpectedCodes.withLock { $0 } }

        func cancelled(_ surrender: Surrender) -> Int { cancelled.withLock { $0[surrender] ?? 0 } }
    }

    private struct CancellingSerializer: ResponseSerializer {
        let task: Cancellable

        func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Int {
            task.cancel()
            return data.count
        }
    }

    /// A handle that its own serializer can reach.
    private final class Cancellable: Sendable {
        private let request: DataRequest

        init(_ request: DataRequest) { self.request = request }

        func cancel() { request.cancel() }
    }

    /// Parity: AF-fault-stress
    @Test(.timeLimit(.minutes(15)), arguments: Wire.allCases)
    func everyRequestCompletesOnceAndNothingStays(wire: Wire) async throws {
        let server = try await TestServer.start(tls: wire.tls, recordLimit: 0)
        var stalling = wire.tls
        stalling?.handshakeStalls = true
        let stalled = try await TestServer.start(tls: stalling, behaviour: .script([.expectHead, .silence]))
        let isResolved = Gate()
        let session = wire.session(resolver: ScriptedResolver(after: isResolved, onlyFor: "unresolved.test")) {
            $0.requestsInFlight = 24
            $0.pool.connectionsPerOrigin = 6
        }
        let origin = wire.named(server, "")
        let places = Places(
            origin: origin,
            unresolved: "\(wire == .tls ? "https" : "http")://unresolved.test/",
            stalled: wire.named(stalled)
        )
        let score = Score()
        var generator = SeededGenerator(seed: Self.seed)
        let half = (wire == .plain ? Self.count : Self.count / 5) / 2
        try await run(half, places, session, score, &generator)
        let before = Self.residentBytes
        try await run(half, places, session, score, &generator)
        let growth = Self.residentBytes - before
        #expect(score.completed.value == 2 * half)
        #expect(score.unexpected.isEmpty, "seed \(Self.seed)")
        #expect(score.succeeded.value > half)
        for surrender in Surrender.allCases.filter(\.endsInCancellation) {
            #expect(score.cancelled(surrender) > 0, "\(surrender)")
        }
        if Self.isAlone { #expect(growth < 24 << 20) }
        try await session.get(origin + "/get").validate()
        isResolved.open()
        try await assertNothingLeft(session)
        await server.waitForOpenConnections(0)
        await server.stop()
        await stalled.stop()
    }

    private func run(
        _ count: Int,
        _ places: Places,
        _ session: Session,
        _ score: Score,
        _ generator: inout SeededGenerator
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= 64 { try await group.next() }
                let job = try Job(number, places, &generator)
                group.addTask { await Self.perform(job, session, score) }
            }
            try await group.waitForAll()
        }
    }

    private static func perform(_ job: Job, _ session: Session, _ score: Score) async {
        if job.usesHandle {
            await performByHandle(job, session, score)
        } else {
            await performDirectly(job, session, score)
        }
    }

    private static func performDirectly(_ job: Job, _ session: Session, _ score: Score) async {
        let task = Task {
            if job.surrender == .beforeTheStart { await Gate().wait() }
            let form: Form = job.surrender == .inTheContent ? .stream : .direct
            guard form == .stream else {
                return score.note(await form.outcome(of: job.message, on: session).code, of: job)
            }
            score.note(await firstChunk(of: job, session), of: job)
        }
        switch job.surrender {
        case .never, .inTheContent, .inASerializer: break
        case .beforeTheStart: task.cancel()
        case .whileSending: job.trigger.set { task.cancel() }
        case .afterSomeTurns, .inTheLookup, .inTheHandshake:
            for _ in 0..<job.turns { await Task.yield() }
            task.cancel()
        case .afterTheEnd:
            await task.value
            task.cancel()
        }
        await task.value
        job.trigger.forget()
    }

    /// Reads the beginning of a content, and lets go of the rest.
    private static func firstChunk(of job: Job, _ session: Session) async -> ApusError.Code? {
        do throws(ApusError) {
            let answer = try await session.stream(job.message)
            for try await _ in answer.body { break }
            return nil
        } catch {
            return error.code
        }
    }

    private static func performByHandle(_ job: Job, _ session: Session, _ score: Score) async {
        let request = session.request(job.message)
        let isOver = Gate()
        if job.surrender == .beforeTheStart { request.cancel() }
        if job.surrender == .inTheContent { request.downloadProgress(queue: .global()) { _, _ in request.cancel() } }
        let serializer = CancellingSerializer(task: Cancellable(request))
        let count = { @Sendable (code: ApusError.Code?) in
            score.note(code, of: job)
            isOver.open()
        }
        if job.surrender == .inASerializer {
            request.response(queue: .global(), responseSerializer: serializer) { count($0.result.code) }
        } else {
            request.response(queue: .global()) { count($0.result.code) }
        }
        if job.surrender == .whileSending { job.trigger.set { request.cancel() } }
        if [.afterSomeTurns, .inTheLookup, .inTheHandshake].contains(job.surrender) {
            for _ in 0..<job.turns { await Task.yield() }
            request.cancel()
        }
        await isOver.wait()
        if job.surrender == .afterTheEnd { request.cancel() }
        job.trigger.forget()
    }

    /// What the process holds in memory; zero where the system does not say.
    private static var residentBytes: Int {
        let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }
}
