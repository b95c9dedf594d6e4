import Apus
import ApusTestServer
import Dispatch
import Foundation
import HTTPTypes
import Testing

/// User code may block its thread without delaying other requests.
///
/// Serialized, because each test blocks a thread of the global executor.
@Suite(.serialized) struct UserCodeTests {
    /// Blocks a thread until other requests have completed, or for 60 s, so that a failure is no deadlock.
    final class Block: Sendable {
        let isBlocking = Gate()
        private let semaphore = DispatchSemaphore(value: 0)
        private let failures = Tally()

        func block() {
            isBlocking.open()
            if semaphore.wait(timeout: .now() + 60) == .timedOut { failures.countUp() }
        }

        func release() { semaphore.signal() }

        var hasTimedOut: Bool { failures.value > 0 }
    }

    private struct BlockingMiddleware: Middleware {
        let block: Block
        let blocksAfterwards: Bool

        func handle(
            _ request: consuming RequestMessage,
            context: RequestContext,
            next: Next
        ) async throws -> ResponseMessage {
            let blocksRequest = request.target.path == "/anything"
            if blocksRequest, !blocksAfterwards { block.block() }
            let response = try await next(request, context: context)
            if blocksRequest, blocksAfterwards { block.block() }
            return response
        }
    }

    private struct BlockingSerializer: ResponseSerializer {
        let block: Block

        func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Int {
            block.block()
            return data.count
        }
    }

    private struct BlockingRequest: RequestConvertible {
        let block: Block
        let url: String

        func asRequest() throws -> RequestMessage {
            block.block()
            return try RequestMessage(url)
        }
    }

    /// Runs `slow`, which blocks at `block`, and expects other requests to the same origin to succeed in the meantime.
    private func expectNoDelay(
        _ block: Block,
        configuration: Session.Configuration = Wire.plain.configuration,
        _ slow: @escaping @Sendable (Session, String) async throws -> Void
    ) async throws {
        try await Wire.plain.with(configuration: configuration) { server, session in
            let url = server.url("/anything")
            let task = Task { try await slow(session, url) }
            await block.isBlocking.wait()
            for form in Form.allCases + Form.allCases {
                let outcome = await form.outcome(of: try RequestMessage(server.url("/get")), on: session)
                #expect(outcome.error == nil)
            }
            block.release()
            try await task.value
            #expect(!block.hasTimedOut)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases, [true, false])
    func allowsMiddlewareToBlock(form: Form, blocksAfterwards: Bool) async throws {
        let block = Block()
        let middleware = BlockingMiddleware(block: block, blocksAfterwards: blocksAfterwards)
        try await expectNoDelay(block, configuration: Wire.plain.configured { $0.middleware = [middleware] }) {
            session,
            url in
            _ = try await form.outcome(of: RequestMessage(url), on: session).get()
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases, [true, false])
    func allowsNetworkMiddlewareToBlock(form: Form, blocksAfterwards: Bool) async throws {
        let block = Block()
        let middleware = BlockingMiddleware(block: block, blocksAfterwards: blocksAfterwards)
        try await expectNoDelay(block, configuration: Wire.plain.configured { $0.networkMiddleware = [middleware] }) {
            session,
            url in
            _ = try await form.outcome(of: RequestMessage(url), on: session).get()
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func allowsAnAdapterToBlock(form: Form) async throws {
        let block = Block()
        let adapter = Adapter { request, _ in
            if request.target.path == "/anything" { block.block() }
            return request
        }
        let configuration = Wire.plain.configured { $0.interceptor = Interceptor(adapters: [adapter]) }
        try await expectNoDelay(block, configuration: configuration) { session, url in
            _ = try await form.outcome(of: RequestMessage(url), on: session).get()
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func allowsARetrierToBlock(form: Form) async throws {
        let block = Block()
        let retrier = Retrier(reconsidering: { attempt in
            if attempt.request.target.path == "/anything" { block.block() }
            return .doNotRetry
        })
        let configuration = Wire.plain.configured { $0.interceptor = Interceptor(retriers: [retrier]) }
        try await expectNoDelay(block, configuration: configuration) { session, url in
            _ = try await form.outcome(of: RequestMessage(url), on: session).get()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func allowsAValidatorToBlock() async throws {
        let block = Block()
        try await expectNoDelay(block) { session, url in
            let request = session.request(url).validate { _, _, _ in
                block.block()
                return .success(())
            }
            _ = try await request.serializingData().value
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func allowsASequenceOfStatusesToBlock() async throws {
        let block = Block()
        try await expectNoDelay(block) { session, url in
            let request = session.request(url).validate(statusCode: Blocking(statuses: [200], block: block))
            _ = try await request.serializingData().value
        }
    }

    private struct Blocking: Sequence, Sendable {
        let statuses: [Int]
        let block: Block

        func makeIterator() -> IndexingIterator<[Int]> {
            block.block()
            return statuses.makeIterator()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func allowsASerializerToBlock() async throws {
        let block = Block()
        try await expectNoDelay(block) { session, url in
            _ = try await session.request(url).serializingResponse(using: BlockingSerializer(block: block)).value
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func allowsARequestConvertibleToBlock() async throws {
        let block = Block()
        try await expectNoDelay(block) { session, url in
            _ = try await session.request(BlockingRequest(block: block, url: url)).serializingData().value
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func allowsAStreamReaderToBlock() async throws {
        let block = Block()
        try await expectNoDelay(block) { session, url in
            for try await _ in try await session.stream(url).body { block.block() }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func allowsARequestBodyToBlock() async throws {
        let block = Block()
        try await expectNoDelay(block) { session, url in
            let body = RequestBody.replayable {
                block.block()
                return AsyncStream<BodyChunk> { $0.finish() }
            }
            try await session.post(url, body: body).validate()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func allowsADestinationToBlockAndBeCancelled() async throws {
        let block = Block()
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let destination = DownloadDestination { _, _ in
            block.block()
            return (folder.appending(path: "file"), [])
        }
        try await expectNoDelay(block) { session, url in
            let request = session.download(url, to: destination)
            let result = request.serializingURL()
            await block.isBlocking.wait()
            request.cancel()
            #expect(await result.response.error?.code == .cancelled)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == [])
    }

    @Test(.timeLimit(.minutes(5)))
    func keepsTheResultOfASerializerThatEndsAfterCancellation() async throws {
        let block = Block()
        try await Wire.plain.with { server, session in
            let request = session.request(server.url("/get"))
            let task = request.serializingResponse(using: BlockingSerializer(block: block))
            await block.isBlocking.wait()
            request.cancel()
            block.release()
            let count = try await task.value
            #expect(count > 0)
            #expect(request.state == .cancelled)
            try await session.get(server.url("/get")).validate()
            #expect(server.acceptedConnections == 1)
        }
    }

    // MARK: Main actor

    /// Counts calls on the main actor, recognized by its queue, which on Linux has no fixed thread.
    private struct MainActorProbe: Middleware, ResponseSerializer {
        private static let key: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        static var isOnMain: Bool { DispatchQueue.getSpecific(key: key) == true }

        let onMain = Tally()
        let elsewhere = Tally()

        func record() {
            if Self.isOnMain { onMain.countUp() } else { elsewhere.countUp() }
        }

        func handle(
            _ request: consuming RequestMessage,
            context: RequestContext,
            next: Next
        ) async throws -> ResponseMessage {
            record()
            let response = try await next(request, context: context)
            record()
            return response
        }

        func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Data {
            record()
            return data
        }
    }

    @MainActor
    @Test(.timeLimit(.minutes(5)), arguments: [HandlerExecution.eventLoop, .concurrent])
    func runsNoHandlerOnTheMainActor(execution: HandlerExecution) async throws {
        let probe = MainActorProbe()
        let server = try await TestServer.start()
        var configuration = Session.Configuration()
        configuration.handlerExecution = execution
        configuration.middleware = [probe]
        configuration.networkMiddleware = [probe]
        let session = Session(configuration: configuration)
        for path in ["/get", "/redirect/2", "/bytes/300000"] {
            try await session.get(server.url(path)).validate()
            for try await _ in try await session.stream(server.url(path)).body {}
            let request = session.request(server.url(path)).validate { _, _, _ in
                probe.record()
                return .success(())
            }
            _ = try await request.serializingResponse(using: probe).value
        }
        #expect(MainActorProbe.isOnMain)
        #expect(probe.onMain.value == 0)
        // Nine requests record at least this often: both ways through two middlewares, plus validators and serializers.
        #expect(probe.elsewhere.value >= 9 * 4 + 6)
        await session.shutdown()
        await server.stop()
    }
}
