internal import Apus
internal import Dispatch
internal import Foundation
internal import Logging
internal import Testing

struct SlowExchanges: EventMonitor {
    let queue = DispatchQueue(label: "slow-exchanges")

    func request(_ request: RequestSummary, didGatherMetrics metrics: ExchangeMetrics) {
        if metrics.duration() > .seconds(1) { print("\(request) was slow: \(metrics)") }
    }
}

/// The code of the guide to monitoring requests, and of the comments on archives.
@Suite(.timeLimit(.minutes(5)))
final class WatchingRequestsSamples {
    private let session = SampleService.session()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-samples-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func monitors() {
        var configuration = Session.Configuration()
        configuration.eventMonitors = [SlowExchanges()]
        configuration.logger.logLevel = .debug
        #expect(configuration.eventMonitors.count == 1)
    }

    @Test func progressAndTheEndOfTheSession() async throws {
        var configuration = Session.Configuration()
        var monitor = ClosureEventMonitor(queue: DispatchQueue(label: "watching"))
        monitor.requestDidSendContent = { request, sent, total in print("\(request): \(sent) of \(total ?? -1) bytes") }
        monitor.requestDidReceiveContent = { request, count, _ in print("\(request): \(count) bytes are here") }
        monitor.sessionDidEnd = { id, error in
            print("session \(id) is over: \(error?.description ?? "it was shut down")")
        }
        configuration.eventMonitors.append(monitor)
        let monitors = configuration.eventMonitors
        let session = SampleService.session { $0.eventMonitors = monitors }
        #expect(try await session.get("https://api.example.org/users/1").status == .ok)
        await session.shutdown()
    }

    @Test func progress() async throws {
        let download = session.download("https://example.org/archive.zip", to: .temporary)
            .downloadProgress { print($0.fractionCompleted) }
        let reader = Task {
            for await progress in download.downloadProgress() { print(progress) }
        }
        let file = try await download.serializingURL().value
        await reader.value
        print(download.downloadProgress.completed, file.path)
        #expect(download.downloadProgress.isFinished)
        try FileManager.default.removeItem(at: file)
    }

    @Test func progressOfSeveralRequests() async throws {
        let backup = Progress.discreteProgress(totalUnitCount: 1)
        let archive = session.download("https://example.org/archive.zip", to: .temporary)
        backup.addChild(archive.makeDownloadProgress(), withPendingUnitCount: 1)
        backup.cancel()
        // Foundation calls the handlers of a progress on another queue.
        while archive.state != .cancelled { await Task.yield() }
        #expect(await archive.serializingURL().response.error?.code == .cancelled)
    }

    @Test func groups() async throws {
        let group = TransferGroup()
        for name in ["archive.zip", "manual.pdf"] {
            group.add(session.download("https://example.org/\(name)", to: .folder(folder)))
        }
        group.onProgress { print($0) }.resume()
        await group.waitForAll()
        print(group.finishedCount, group.failedCount)
        #expect(group.finishedCount == 2 && group.failedCount == 0 && group.progress.isFinished)
    }

    @Test func measurements() async throws {
        let picture = folder.appending(path: "picture.svg")
        let response = try await session.get("https://api.example.org/old")
        for exchange in response.metrics.exchanges {
            let latency = exchange.timeToFirstByte ?? .zero
            print(exchange.cause, exchange.target, latency, exchange.responseBodyBytes, exchange.isReused)
        }
        let waterfall = Waterfall([response.metrics])
        print(waterfall.text(columns: 100))
        try Data(waterfall.svg().utf8).write(to: picture)
        #expect(response.metrics.exchanges.count == 2)
    }

    @Test func archives() async throws {
        let file = folder.appending(path: "calls.har")
        let recorder = HARRecorder()
        let session = SampleService.session { $0.recorder = recorder }
        _ = try? await session.get("https://api.example.org/users/0").validate()
        try recorder.write(to: file)
        let archive = try HTTPArchive(contentsOf: file)
        print(archive.entries.count, Waterfall(archive).text())
        #expect(archive.entries.map(\.response.status) == [404])
        try change(file)
    }

    @Test func commands() async throws {
        let session = session
        let request = session.request("https://api.example.org/users/1", method: .delete)
        print(try await request.cURLDescription())
        request.cURLDescription(on: .global(), includesSecrets: false) { print($0) }
        let search = try RequestMessage("https://api.example.org/users?name=Ada")
        print(try await session.cURLDescription(of: search))
        #expect(try search.cURLDescription().hasSuffix(" 'https://api.example.org/users?name=Ada'"))
    }

    @Test func commandsOfSentRequests() async throws {
        session.request("https://api.example.org/users/1")
            .cURLDescription { print($0) }
            .responseDecodable(of: User.self) { print($0.result) }
        let request = session.request("https://api.example.org/users/1")
        request.cURLDescription(on: .global()) { print($0) }
        #expect(try await request.cURLDescription().hasPrefix("curl "))
    }

    private func change(_ file: URL) throws {
        var archive = try HTTPArchive(contentsOf: file)
        archive.entries.removeAll { $0.response.status == 200 }
        print(Waterfall(archive, idleTime: .cut).text())
        #expect(archive.entries.count == 1)
    }

    /// Only compiled, because it needs a network.
    static func recording(_ configuration: Session.Configuration, to file: URL) async throws {
        var configuration = configuration
        let recorder = HARRecorder()
        configuration.recorder = recorder
        let recorded = Session(configuration: configuration)
        _ = try? await recorded.get("https://api.example.org/users/0").validate()
        try recorder.write(to: file)
    }

    /// Only compiled, because it needs a network.
    static func network(_ file: URL) async throws {
        let recorder = HARRecorder()
        var configuration = Session.Configuration()
        configuration.recorder = recorder
        let session = Session(configuration: configuration)
        try await session.get("https://example.org/").validate()
        try recorder.write(to: file)
    }
}
