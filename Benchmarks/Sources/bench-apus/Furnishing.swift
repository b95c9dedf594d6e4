internal import Apus
internal import BenchSupport
internal import Dispatch
internal import Foundation
internal import Synchronization

extension Session.Configuration {
    /// Adds what the session of a program has: an adapter, a retry policy, a jar with ten cookies for each of 100 domains,
    /// that of the server among them, and a monitor.
    mutating func furnish(for options: Options) throws {
        let adapter = Adapter.promptly { request, _ in
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
        // Whoever has tasks of his own on the loop has code there that does not block.
        if options.mode == .loop { userCode = .onLoop }
    }
}

/// Counts events, as a monitor that feeds a system of metrics does.
private final class CountingMonitor: EventMonitor {
    let queue = DispatchQueue(label: "counting-monitor")
    private let count = Atomic<Int>(0)

    func request(_ request: RequestID, did event: RequestEvent) {
        count.add(1, ordering: .relaxed)
    }
}
