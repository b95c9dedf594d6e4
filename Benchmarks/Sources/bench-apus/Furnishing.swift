internal import Apus
internal import BenchSupport
internal import Dispatch
internal import Foundation
internal import Synchronization

extension Session.Configuration {
    /// Adds the parts of a typical session: an adapter, a retry policy, a jar with ten cookies for each of 100 domains,
    /// including that of the server, and a monitor.
    mutating func furnish(for options: Options) throws {
        let adapter = Adapter.synchronous { request, _ in
            request.fields[.authorization] = "Bearer 0123456789abcdef"
        }
        interceptor = Interceptor(adapters: [adapter], interceptors: [RetryPolicy()])
        let jar = CookieJar()
        let host = URL(string: options.url)?.host() ?? ""
        for domain in [host] + (1..<100).map({ "domain-\($0).example" }) {
            for number in 0..<10 {
                try jar.set(Cookie(name: "name-\(number)", value: "value-\(number)", domain: domain))
            }
        }
        cookies = .jar(jar)
        eventMonitors = [CountingMonitor()]
        // The benchmark's own tasks run on the event loop and do not block it, so its handlers may run there too.
        if options.mode == .loop { handlerExecution = .eventLoop }
    }
}

/// Counts events, as a monitor for a metrics system would.
private final class CountingMonitor: EventMonitor {
    let queue = DispatchQueue(label: "counting-monitor")
    private let count = Atomic<Int>(0)

    func request(_ request: RequestSummary, did event: RequestEvent) {
        count.add(1, ordering: .relaxed)
    }
}
