internal import Apus
internal import BenchSupport
internal import Foundation
internal import Synchronization

/// Measures the direct calls of Apus, or, in the mode `handle`, its request handles.
struct ApusBench: BenchClient {
    let executor: (any TaskExecutor)?
    private let session: Session
    private let throughHandles: Bool
    private let isObserved: Bool
    private let post: RequestMessage

    init(_ options: Options) async throws {
        var configuration = Session.Configuration()
        configuration.pool.connectionsPerOrigin = options.concurrency
        configuration.pool.connectionsTotal = max(256, options.concurrency)
        configuration.requestsInFlight = max(256, options.concurrency)
        if let path = options.certificateAuthority { configuration.trust.roots = .file(path) }
        if let url = options.proxy { configuration.proxy = .server(try ProxyServer(url)) }
        if options.opensConnections {
            configuration.pool.usesPerConnection = 1
            configuration.protocols = .http1
            if options.usesClassicKeyExchange { configuration.tls.curves = [.x25519, .p256, .p384, .p521] }
        }
        if options.isFurnished { try configuration.furnish(for: options) }
        session = Session(configuration: configuration)
        executor = options.mode == .loop ? session.executor(for: options.url) : nil
        throughHandles = options.mode == .handle
        isObserved = options.isObserved
        post = try RequestMessage(options.url, method: .post)
    }

    func get(_ url: String) async throws -> Int {
        try await content(url).count
    }

    func content(_ url: String) async throws -> Data {
        if throughHandles { return try await session.request(url).validate().serializingData().value }
        return try await session.get(url).validate().data
    }

    func decode(_ url: String) async throws -> Int {
        if throughHandles {
            return try await session.request(url).validate().serializingDecodable([Item].self).value.count
        }
        return try await session.get(url).validate().decode([Item].self).count
    }

    func drop(_ url: String) async throws -> Int {
        let response = try await session.stream(url)
        guard response.status.kind == .successful else { throw BenchError("status \(response.status)") }
        var count = 0
        for try await chunk in response.body { count += chunk.count }
        return count
    }

    func save(_ url: String, to path: String) async throws -> Int {
        let file = URL(fileURLWithPath: path)
        guard isObserved else { return Int(try await session.download(url, to: file).byteCount) }
        let reports = Mutex((count: 0, completed: Int64(0)))
        let saved = try await session.download(url, to: file) { progress in
            reports.withLock { $0 = ($0.count + 1, progress.completed) }
        }
        let (count, completed) = reports.withLock { $0 }
        guard count > 1, completed == saved.byteCount else {
            throw BenchError("\(count) reports of progress, the last of \(completed) of \(saved.byteCount) bytes")
        }
        return Int(saved.byteCount)
    }

    func upload(_ path: String, to url: String) async throws -> Int {
        try await session.put(url, body: try .file(URL(fileURLWithPath: path))).validate().data.count
    }

    func uploadMultipart(_ path: String, to url: String) async throws -> Int {
        var form = MultipartFormData()
        try form.append(URL(fileURLWithPath: path), withName: "file")
        return try await session.post(url, multipart: form).validate().data.count
    }

    func encodeJSON(_ value: Record) throws -> Int {
        try encoded(value, .json)
    }

    func encodeForm(_ value: Record) throws -> Int {
        try encoded(value, .urlEncodedForm)
    }

    func decodeJSON(_ content: Data) throws -> Int {
        try JSONContentDecoder().decode([Item].self, from: content).count
    }

    private func encoded(_ value: Record, _ encoder: some ParameterEncoder) throws -> Int {
        Int(try encoder.encode(value, into: post).body.length ?? 0)
    }

    func close() async throws {
        await session.shutdown()
    }
}

@main
enum Main {
    static func main() async {
        await runBenchmark(ApusBench.self)
    }
}
