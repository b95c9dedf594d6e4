internal import Apus
internal import ApusTesting
internal import Dispatch
internal import Logging
internal import Testing

struct SecondTry: Middleware {
    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let request = request
        let response = try await next(request, context: context)
        guard response.status == .serviceUnavailable else { return response }
        response.discard()
        var again = request
        again.body = try request.body.replayed(for: "the second try")
        return try await next(again, context: context, because: .retry)
    }
}

enum FirstTarget: RequestContextKey {
    typealias Value = String
}

struct TargetMemory: Middleware {
    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        let first = context.value(of: FirstTarget.self) { [target = request.target] in "\(target)" }
        context.logger.info("the first attempt was for \(first)")
        return try await next(request, context: context)
    }
}

struct Printer: EventMonitor {
    let queue = DispatchQueue(label: "printer")

    func request(_ request: RequestSummary, did event: RequestEvent) {
        if case .exchangeEnded(let record) = event {
            let exchange = record.metrics
            print(request, exchange.method, exchange.target, exchange.status?.code ?? 0, exchange.duration())
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct LifeOfARequestSamples {
    @Test func retriesOnce() async throws {
        let transport = MockTransport([MockResponse(status: .serviceUnavailable), MockResponse(body: "here")])
        var configuration = Session.Configuration()
        configuration.middleware = [SecondTry()]
        let session = Session(configuration: configuration, transport: transport)
        let response = try await session.get("https://api.example.org/").validate()
        #expect(response.metrics.exchanges.map(\.cause) == [.first, .retry])
    }

    @Test func isConfigured() {
        var configuration = Session.Configuration()
        configuration.middleware = [SecondTry()]
        let session = Session(configuration: configuration)
        #expect(session.configuration.middleware.count == 1)
    }

    @Test func isMonitored() async throws {
        let session = SampleService.session { $0.eventMonitors = [Printer()] }
        let metrics = try await session.get("https://api.example.org/users/1").metrics
        for exchange in metrics.exchanges {
            print(exchange.cause, exchange.remoteAddress ?? "", exchange.isReused, exchange.timeToFirstByte ?? .zero)
        }
        #expect(metrics.exchanges.count == 1)
    }

    @Test func reportsItsStepsInOrder() async {
        let monitor = RecordingEventMonitor()
        let session = SampleService.session { $0.eventMonitors = [monitor] }
        let request = session.request("https://api.example.org/users/1").validate()
        _ = await request.serializingData().response
        // `finished` is posted before the completion handler is called, so all events have been recorded.
        let names = monitor.names(of: request.id).filter { $0 != "exchangeEnded" }
        #expect(
            names == [
                "resumed", "created", "exchangeBegan", "responded", "validated", "completed", "serialized", "finished",
            ]
        )
    }
}
