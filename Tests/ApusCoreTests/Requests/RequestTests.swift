internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Both kinds of handles behave alike for code that works with any `Request`.
@Suite(.timeLimit(.minutes(5))) struct RequestTests {
    enum Kind: CaseIterable {
        case data, download

        func make(on session: Session, _ url: String = "http://h/?token=sesame") -> any Request {
            switch self {
            case .data: session.request(url, method: .post, body: .string("abc"))
            case .download: session.download(url, method: .post, body: .string("abc"), to: .temporary)
            }
        }
    }

    /// Starts a request of any kind and returns once it is finished.
    private func finish(_ request: some Request, _ test: TestSession) async throws {
        request.resume()
        #expect(await eventually { test.names(of: request).last == "finished" })
        if let file = (request as? DownloadRequest)?.fileURL { try FileManager.default.removeItem(at: file) }
    }

    /// Parity: AF-life-data, AF-life-state-properties, AF-life-description
    @Test(arguments: Kind.allCases) func exposesItsResponseAndDescription(kind: Kind) async throws {
        func check(_ request: some Request, _ test: TestSession) async throws {
            #expect(request.state == .initialized)
            #expect("\(request)" == "request \(request.id), initialized")
            #expect(request.response == nil && request.request == nil && request.error == nil)
            try await finish(request, test)
            #expect(request.state == .finished)
            #expect("\(request)" == "POST http://h/?token=… (202)")
            #expect(request.response?.headerFields[.server] == "x")
            #expect(request.request?.method == .post)
            #expect(request.error == nil)
            #expect(request.metrics.exchanges.map(\.status?.code) == [202])
        }
        let test = TestSession { _ in MockResponse(status: 202, fields: [.server: "x"], body: "ok") }
        try await check(kind.make(on: test.session), test)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-life-states
    @Test(arguments: Kind.allCases) func isCancelled(kind: Kind) async throws {
        func check(_ request: some Request, _ test: TestSession) async {
            let same = request.suspend().resume().cancel()
            #expect(same === request)
            #expect(request.state == .cancelled)
            #expect(await eventually { test.names(of: request).last == "finished" })
            #expect(request.error?.code == .cancelled)
            request.resume()
            #expect(request.state == .cancelled)
        }
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        await check(kind.make(on: test.session), test)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    static let validations: [@Sendable (any Request) -> Void] = [
        { $0.validate() }, { $0.validate(statusCode: 200..<300) }, { $0.validate(statusCode: [200, 201]) },
        { $0.validate(statusCode: Set([200])) }, { $0.validate(statusCode: stride(from: 200, to: 300, by: 1)) },
        { $0.validate(contentType: ["application/json"]) },
        { $0.validate(contentType: ["application/*+json", "a/b"]) },
    ]

    /// Parity: AF-validate-status
    @Test(arguments: Kind.allCases, 0..<7) func isValidated(kind: Kind, index: Int) async throws {
        let test = TestSession { _ in MockResponse(status: 500, fields: [.contentType: "text/html"], body: "no") }
        let request = kind.make(on: test.session)
        Self.validations[index](request)
        request.resume()
        #expect(await eventually { test.names(of: request).last == "finished" })
        // A download checks the status without being told to.
        let isOfStatus = index < 5 || kind == .download
        #expect(request.error?.code == (isOfStatus ? .unacceptableStatus : .unacceptableContentType))
        #expect(request.error?.data == Data("no".utf8))
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: Kind.allCases) func reportsProgress(kind: Kind) async throws {
        let queue = DispatchQueue(label: "apus.tests.progress")
        let reported = LockedList<String>()
        let session = Session(transport: ProgressTransport(steps: [[1, 2, 3]]))
        let request = kind.make(on: session)
            .uploadProgress(queue: queue) { reported.append("up \($0.completed)/\($0.total ?? -1)") }
            .downloadProgress(queue: queue) { reported.append("down \($0.completed)/\($0.total ?? -1)") }
        request.resume()
        #expect(await eventually { request.state == .finished })
        queue.sync {}
        #expect(reported.all.last { $0.hasPrefix("up") } == "up 3/3")
        #expect(reported.all.last { $0.hasPrefix("down") } == "down 2/2")
        if let file = (request as? DownloadRequest)?.fileURL { try FileManager.default.removeItem(at: file) }
        try await assertNothingLeft(session)
    }

    // MARK: Upload progress

    /// Reports the byte counts of `steps` for each exchange, one call of `before` ahead of each, then responds. All
    /// responses but the last are redirects.
    private struct ProgressTransport: Transport {
        let steps: [[Int64]]
        var before: @Sendable (Int64) async -> Void = { _ in }

        var capabilities: TransportCapabilities { [.rawRedirects] }

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            let index = Int(request.target.path.dropFirst()) ?? 0
            for count in steps[index] {
                await before(count)
                record.noteSent(count)
            }
            let isLast = index == steps.count - 1
            var fields = HTTPFields()
            fields[.location] = isLast ? nil : "/\(index + 1)"
            return ResponseMessage(
                status: isLast ? .ok : .temporaryRedirect,
                fields: fields,
                body: .whole(BodyChunk("ok")),
                record: record
            )
        }
    }

    /// Returns the progress of an upload. Before each step, the queue delivers the one before and the interval between
    /// two reports passes, so none is skipped.
    private func progress(_ steps: [[Int64]], of body: RequestBody) async throws -> [String] {
        let queue = DispatchQueue(label: "apus.tests.progress")
        let reported = LockedList<String>()
        let clock = ManualClock()
        var configuration = Session.Configuration()
        configuration.time = clock
        let transport = ProgressTransport(steps: steps) { _ in
            queue.sync {}
            clock.advance(by: TransferProgress.reportInterval)
        }
        let session = Session(configuration: configuration, transport: transport)
        let request = session.request("http://h/", method: .put, body: body)
            .uploadProgress(queue: queue) { reported.append("\($0.completed)/\($0.total ?? -1)") }
        _ = try await request.serializingString().value
        queue.sync {}
        try await assertNothingLeft(session)
        return reported.all
    }

    /// Parity: AF-progress-upload
    @Test func reportsUploadProgress() async throws {
        #expect(try await progress([[1, 2, 3]], of: .string("abc")) == ["1/3", "2/3", "3/3"])
        let stream = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        #expect(try await progress([[1, 2]], of: stream) == ["1/-1", "2/-1"])
        #expect(try await progress([[]], of: .none) == [])
    }

    /// Parity: AF-progress-upload, AF-progress-retry
    @Test func restartsUploadProgressAfterARedirect() async throws {
        #expect(try await progress([[1, 3], [2, 3]], of: .string("abc")) == ["1/3", "3/3", "2/3", "3/3"])
    }

    /// A handler that is added after the start is called for the bytes that are sent later.
    /// Parity: AF-progress-queue, AF-progress-upload
    @Test func reportsProgressToLateHandlers() async throws {
        let barrier = Barrier()
        let queue = DispatchQueue(label: "apus.tests.progress")
        let reported = LockedList<Int64>()
        let session = Session(
            transport: ProgressTransport(steps: [[1, 2]]) { count in
                if count == 2 { await barrier.pass() }
                queue.sync {}
            }
        )
        let request = session.request("http://h/", method: .put, body: .string("ab"))
        let task = request.serializingString()
        await barrier.reached()
        request.uploadProgress(queue: queue) { reported.append($0.completed) }
        request.uploadProgress(queue: queue) { reported.append($0.completed * 10) }
        barrier.open()
        _ = try await task.value
        queue.sync {}
        #expect(reported.all == [2, 20])
        try await assertNothingLeft(session)
    }

    private final class Holder: Sendable {}

    @Test(arguments: Kind.allCases) func releasesProgressHandlersAtTheEnd(kind: Kind) async throws {
        let session = Session(transport: ProgressTransport(steps: [[3]]))
        let queue = DispatchQueue(label: "apus.tests.progress")
        weak var early: Holder?
        weak var late: Holder?
        let request = kind.make(on: session)
        do {
            let holder = Holder()
            early = holder
            request.uploadProgress(queue: queue) { _ in withExtendedLifetime(holder) {} }
                .downloadProgress(queue: queue) { _ in withExtendedLifetime((holder, request)) {} }
        }
        #expect(early != nil)
        request.resume()
        #expect(await eventually { request.state == .finished })
        queue.sync {}
        #expect(await eventually { early == nil })
        // A finished request has no more progress to report.
        do {
            let holder = Holder()
            late = holder
            request.uploadProgress(queue: queue) { _ in withExtendedLifetime((holder, request)) {} }
                .downloadProgress(queue: queue) { _ in withExtendedLifetime((holder, request)) {} }
        }
        #expect(late == nil)
        if let file = (request as? DownloadRequest)?.fileURL { try FileManager.default.removeItem(at: file) }
        try await assertNothingLeft(session)
    }

    /// Cancels a request when it is deinitialized, which must not happen while the request's lock is held.
    private final class Canceller: Sendable, RedirectHandler {
        private let request: @Sendable () -> (any Request)?
        private let gone: LockedList<Int>

        init(_ gone: LockedList<Int>, _ request: @escaping @Sendable () -> (any Request)?) {
            self.request = request
            self.gone = gone
        }

        deinit {
            request()?.cancel()
            gone.append(1)
        }

        func redirect(
            to request: RequestMessage,
            after response: HTTPResponse,
            context: RequestContext
        ) async throws -> RequestMessage? { request }
    }

    private struct CancellingSerializer: ResponseSerializer {
        let canceller: Canceller

        func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Int { 0 }
    }

    @Test(arguments: Kind.allCases) func releasesProgressHandlersOutsideOfItsLock(kind: Kind) async throws {
        let gone = LockedList<Int>()
        // The mock reports no upload progress, so no other object holds the handler.
        let test = TestSession()
        let request = kind.make(on: test.session)
        do {
            let canceller = Canceller(gone) { [weak request] in request }
            request.uploadProgress { _ in withExtendedLifetime(canceller) {} }
        }
        request.resume()
        #expect(await eventually { gone.count == 1 })
        #expect(await eventually { test.monitor.names(of: request.id).last == "finished" })
        #expect(request.error == nil)
        if let file = (request as? DownloadRequest)?.fileURL { try FileManager.default.removeItem(at: file) }
        try await assertNothingLeft(test.session)
    }

    @Test func releasesSerializersOutsideOfItsLock() async throws {
        let gone = LockedList<Int>()
        let test = TestSession()
        let request = test.session.request("http://h/")
        do {
            let canceller = Canceller(gone) { [weak request] in request }
            request.response(queue: .global(), responseSerializer: CancellingSerializer(canceller: canceller)) { _ in }
        }
        #expect(await eventually { gone.count == 1 })
        #expect(request.error == nil)
        try await assertNothingLeft(test.session)
    }

    @Test func releasesTheValuesOfAnAttemptOutsideOfItsLock() async throws {
        struct Making: ResponseSerializer {
            let make: @Sendable () -> Canceller
            func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Canceller { make() }
        }
        let gone = LockedList<Int>()
        let retrier = Retrier(reconsidering: { $0.retryCount == 0 ? .retry : .doNotRetry })
        let test = TestSession.configured { $0.interceptor = Interceptor(retriers: [retrier]) }
        let request = test.session.request("http://h/")
        let serializer = Making { [weak request] in Canceller(gone) { [weak request] in request } }
        let task = request.serializingResponse(using: serializer)
        #expect(await task.response.error?.code == .cancelled)
        #expect(gone.count == 1 && request.state == .cancelled)
        try await assertNothingLeft(test.session)
    }

    @Test func releasesARedirectHandlerOutsideOfItsLock() async throws {
        let gone = LockedList<Int>()
        let test = TestSession()
        let request = test.session.request("http://h/")
        request.redirect(using: Canceller(gone) { [weak request] in request }).redirect(using: .follow)
        #expect(gone.count == 1)
        #expect(request.state == .cancelled)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: Kind.allCases) func isReleasedWithItsHandlers(kind: Kind) async throws {
        let session = Session(transport: ProgressTransport(steps: [[3]]))
        weak var gone: (any Request)?
        do {
            let request = kind.make(on: session)
            gone = request
            request.uploadProgress(queue: .global()) { [weak request] _ in _ = request?.state }.resume()
            #expect(await eventually { request.state == .finished })
            if let file = (request as? DownloadRequest)?.fileURL { try FileManager.default.removeItem(at: file) }
        }
        #expect(await eventually { gone == nil })
        try await assertNothingLeft(session)
    }
}
