internal import Apus
internal import Dispatch
internal import Testing

/// Prints requests and responses, as in Alamofire's guide.
struct ConsoleLogger: EventMonitor {
    let queue = DispatchQueue(label: "request-logger")

    func requestDidResume(_ request: RequestSummary) {
        print("Resuming: \(request)")
    }

    func request(_ request: RequestSummary, didParseResponse response: ResponseSummary) {
        print("Finished: \(response.debugDescription)")
    }
}

/// Prints failures with the beginning of the rejected response's body.
struct FailureLogger: EventMonitor {
    let queue = DispatchQueue(label: "failure-logger")
    let bodyPrefixBytes = 200

    func request(_ request: RequestSummary, didComplete response: ResponseSummary) {
        guard let error = response.error else { return }
        print("\(request): \(error) \(response.bodyText ?? "")")
    }
}

/// The code of the guide and of the comments about monitors that log.
@Suite(.timeLimit(.minutes(5)))
struct MonitorSamples {
    private let url = "https://api.example.org/users/1"

    @Test func loggers() async throws {
        var configuration = Session.Configuration()
        configuration.eventMonitors = [ConsoleLogger(), FailureLogger()]
        let monitors = configuration.eventMonitors
        let session = SampleService.session { $0.eventMonitors = monitors }
        _ = try await session.request(url).serializingDecodable(User.self).value
        await session.shutdown()
    }

    @Test func logs() async throws {
        var configuration = Session.Configuration()
        configuration.eventMonitors = [LogMonitor(.bodies(upTo: 1000))]
        let monitors = configuration.eventMonitors
        let session = SampleService.session { $0.eventMonitors = monitors }
        let response = try await session.get(url, options: [RequestLabel("profile")])
        #expect(response.status == .ok)
        await session.shutdown()
    }

    @Test func logsToTheLoggerOfTheSession() {
        var configuration = Session.Configuration()
        configuration.eventMonitors = [LogMonitor(.heads, to: configuration.logger)]
        #expect(configuration.eventMonitors.count == 1)
    }

    @Test func summaries() async throws {
        var monitor = ClosureEventMonitor(queue: DispatchQueue(label: "watching"))
        monitor.requestDidResume = { request in print("Resuming: \(request)") }
        monitor.requestDidComplete = { request, response in
            print("\(request): \(response)")
            if let text = response.bodyText { print(text) }
        }
        let monitors = [monitor]
        let session = SampleService.session { $0.eventMonitors = monitors }
        #expect(try await session.get(url).status == .ok)
        await session.shutdown()
    }
}
