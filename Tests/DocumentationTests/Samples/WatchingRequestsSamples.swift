internal import Apus
internal import Dispatch
internal import Foundation
internal import Logging
internal import Testing

struct SlowExchanges: EventMonitor {
    let queue = DispatchQueue(label: "slow-exchanges")

    func request(_ request: RequestID, did event: RequestEvent) {
        guard case .exchangeEnded(let record) = event, record.metrics.duration() > .seconds(1) else { return }
        print("request \(request) was slow: \(record.metrics)")
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
        monitor.requestDidSendContent = { id, sent, total in print("\(id): \(sent) of \(total ?? -1) bytes are sent") }
        monitor.requestDidReceiveContent = { id, count, _ in print("\(id): \(count) bytes are here") }
        monitor.sessionDidEnd = { id, error in
            print("session \(id) is over: \(error?.description ?? "it was shut down")")
        }
        configuration.eventMonitors.append(monitor)
        let monitors = configuration.eventMonitors
        let session = SampleService.session { $0.eventMonitors = monitors }
        #expect(try await session.get("https://api.example.org/users/1").status == .ok)
        await session.shutdown()
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
