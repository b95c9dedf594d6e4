internal import AsyncHTTPClient
internal import BenchSupport
internal import Foundation
internal import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Measures the async API of AsyncHTTPClient on one event loop.
struct AsyncHTTPClientBench: BenchClient {
    private let group: MultiThreadedEventLoopGroup
    private let client: HTTPClient
    private let decoder = JSONDecoder()
    private let timeout = TimeAmount.minutes(5)

    init(_ options: Options) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.concurrency
        if let path = options.certificateAuthority {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(path)
            if options.usesClassicKeyExchange { tls.curves = [.x25519, .secp256r1, .secp384r1, .secp521r1] }
            configuration.tlsConfiguration = tls
        }
        if let address = options.proxy {
            guard let url = URL(string: address), let host = url.host(), let port = url.port else {
                throw BenchError("\(address) is not the URL of a proxy")
            }
            configuration.proxy = .server(host: host, port: port)
        }
        if options.opensConnections {
            configuration.maximumUsesPerConnection = 1
            configuration.httpVersion = .http1Only
        }
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    func get(_ url: String) async throws -> Int {
        try await content(url).readableBytes
    }

    func decode(_ url: String) async throws -> Int {
        try decoder.decode([Item].self, from: try await content(url)).count
    }

    func drop(_ url: String) async throws -> Int {
        var count = 0
        for try await chunk in try await answer(HTTPClientRequest(url: url)).body { count += chunk.readableBytes }
        return count
    }

    func save(_ url: String, to path: String) async throws -> Int {
        let delegate = try FileDownloadDelegate(path: path)
        let request = try HTTPClient.Request(url: url)
        return try await client.execute(request: request, delegate: delegate).get().receivedBytes
    }

    func upload(_ path: String, to url: String) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        request.method = .PUT
        let file = try FileChunks(path: path)
        request.body = .stream(file, length: .known(file.byteCount))
        return try await answer(request).body.collect(upTo: 1 << 20).readableBytes
    }

    func close() async throws {
        try await client.shutdown()
        try await group.shutdownGracefully()
    }

    private func content(_ url: String) async throws -> ByteBuffer {
        try await answer(HTTPClientRequest(url: url)).body.collect(upTo: 1 << 20)
    }

    private func answer(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let response = try await client.execute(request, timeout: timeout)
        guard (200..<300).contains(response.status.code) else { throw BenchError("status \(response.status)") }
        return response
    }
}

/// A file as a sequence of chunks of 64 KiB, which are read on demand.
private struct FileChunks: AsyncSequence, Sendable {
    let path: String
    let byteCount: Int64

    init(path: String) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let size = attributes[.size] as? NSNumber else { throw BenchError("unknown size of \(path)") }
        self.path = path
        byteCount = size.int64Value
    }

    func makeAsyncIterator() -> Iterator { Iterator(file: FileHandle(forReadingAtPath: path)) }

    struct Iterator: AsyncIteratorProtocol {
        let file: FileHandle?
        var buffer = ByteBufferAllocator().buffer(capacity: 65536)

        mutating func next() async throws -> ByteBuffer? {
            guard let file else { throw BenchError("the file to send cannot be opened") }
            buffer.clear()
            let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 65536) { target in
                let count = read(file.fileDescriptor, target.baseAddress, 65536)
                guard count >= 0 else { throw BenchError("the file to send cannot be read") }
                return count
            }
            return count == 0 ? nil : buffer
        }
    }
}

@main
enum Main {
    static func main() async {
        await runBenchmark(AsyncHTTPClientBench.self)
    }
}
