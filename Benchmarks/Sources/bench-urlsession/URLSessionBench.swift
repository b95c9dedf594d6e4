internal import BenchSupport
internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// Measures the URLSession of the toolchain.
///
/// URLSession on Linux cannot be configured with a certificate authority. To run it over TLS, replace the authorities
/// of the system.
struct URLSessionBench: BenchClient {
    private let session: URLSession
    private let droppers = Droppers()
    private let decoder = JSONDecoder()

    init(_ options: Options) async throws {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = options.concurrency
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = 300
        session = URLSession(configuration: configuration, delegate: droppers, delegateQueue: nil)
    }

    func get(_ url: String) async throws -> Int {
        try await body(url).count
    }

    func decode(_ url: String) async throws -> Int {
        try decoder.decode([Item].self, from: try await body(url)).count
    }

    func drop(_ url: String) async throws -> Int {
        let task = session.dataTask(with: try request(url))
        return try await withCheckedThrowingContinuation { continuation in
            droppers.add(task, continuation)
            task.resume()
        }
    }

    func save(_ url: String, to path: String) async throws -> Int {
        let (file, response) = try await session.download(for: try request(url))
        try check(response)
        try FileManager.default.moveItem(at: file, to: URL(fileURLWithPath: path))
        return Int(response.expectedContentLength)
    }

    func upload(_ path: String, to url: String) async throws -> Int {
        var request = try request(url)
        request.httpMethod = "PUT"
        let (data, response) = try await session.upload(for: request, fromFile: URL(fileURLWithPath: path))
        try check(response)
        return data.count
    }

    func close() async throws {
        session.invalidateAndCancel()
    }

    private func body(_ url: String) async throws -> Data {
        let (data, response) = try await session.data(for: try request(url))
        try check(response)
        return data
    }

    private func request(_ url: String) throws -> URLRequest {
        guard let url = URL(string: url) else { throw BenchError("\(url) is not a URL") }
        return URLRequest(url: url)
    }
}

private func check(_ response: URLResponse?) throws {
    guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
        throw BenchError("the response is \(String(describing: response))")
    }
}

/// Counts the received bytes of each added task, and discards them.
private final class Droppers: NSObject, URLSessionDataDelegate {
    private struct Dropper {
        let continuation: CheckedContinuation<Int, any Error>
        var count = 0
    }

    private let running = Mutex<[Int: Dropper]>([:])

    func add(_ task: URLSessionTask, _ continuation: CheckedContinuation<Int, any Error>) {
        running.withLock { $0[task.taskIdentifier] = Dropper(continuation: continuation) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        running.withLock { $0[dataTask.taskIdentifier]?.count += data.count }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let dropper = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        do {
            if let error { throw error }
            try check(task.response)
            dropper.continuation.resume(returning: dropper.count)
        } catch {
            dropper.continuation.resume(throwing: error)
        }
    }
}

@main
enum Main {
    static func main() async {
        await runBenchmark(URLSessionBench.self)
    }
}
