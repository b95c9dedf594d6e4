import Apus
import Foundation

/// Sends a HEAD request for each URL concurrently, and reports broken links.
///
///     swift run link-check https://example.org https://example.org/nowhere
@main
struct LinkCheck {
    static func main() async {
        let urls = CommandLine.arguments.dropFirst()
        guard !urls.isEmpty else {
            print("usage: link-check URL…")
            exit(64)
        }
        var configuration = Session.Configuration()
        configuration.timeouts.request = .seconds(20)
        configuration.fields[.userAgent] = "link-check/1.0"
        let session = Session(configuration: configuration)

        let deadCount = await withTaskGroup { group in
            for url in urls {
                group.addTask { await check(url, in: session) }
            }
            var deadCount = 0
            for await isAlive in group where !isAlive { deadCount += 1 }
            return deadCount
        }
        await session.shutdown()
        exit(deadCount == 0 ? 0 : 1)
    }

    /// Sends a HEAD request for a URL, or a GET request if the server does not support HEAD.
    private static func check(_ url: String, in session: Session) async -> Bool {
        do {
            var response = try await session.head(url)
            if response.status == .methodNotAllowed || response.status == .notImplemented {
                response = try await session.get(url)
            }
            let way =
                response.metrics.redirectCount == 0 ? "" : ", by way of \(response.metrics.redirectCount) redirects"
            print("\(response.status.code) \(url) in \(response.metrics.duration)\(way)")
            return response.status.kind == .successful
        } catch {
            print("--- \(error)")
            return false
        }
    }
}
