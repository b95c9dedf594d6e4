internal import Apus
internal import ApusTestServer
internal import Foundation

/// Stops about large bodies and compressed bodies.
enum Transfers {
    private struct Receipt: Decodable {
        let bytes: Int
        let adler32: String
    }

    /// Sends a file at a limited rate, so that its progress can be seen.
    static func upload(_ environment: TourEnvironment) async throws -> Finding {
        let content = Data(TestServer.pattern(count: 4 << 20))
        let file = environment.folder.appending(path: "upload")
        try content.write(to: file)
        let steps = Counter()
        let bar = ProgressBar("upload", environment.screen)
        let rate = TransferRateLimit(upload: 16 << 20)
        let request = environment.session.upload(file, to: environment.server.url("/upload"), options: [rate])
            .validate()
            .uploadProgress(queue: bar.queue) { progress in
                steps.increment()
                bar.show(progress)
            }
        let receipt = try await request.serializingDecodable(Receipt.self).value
        bar.clear()
        try expect(receipt.bytes, is: content.count, "the bytes that arrived")
        try expect(receipt.adler32, is: Checksum.adler32(content), "their Adler-32")
        try expect(request.uploadProgress.completed, is: Int64(content.count), "the progress at the end")
        return Finding(
            "\(size(receipt.bytes)) in \(steps.value) steps, Adler-32 \(receipt.adler32)",
            request.metrics.exchanges
        )
    }

    /// Reads only the first piece: the server must stop sending soon, and other requests must continue.
    static func backPressure(_ environment: TourEnvironment) async throws -> Finding {
        let response = try await environment.session.stream(environment.otherServer.url("/measured"))
        var iterator = response.body.makeAsyncIterator()
        var received = try await iterator.next()?.count ?? 0
        for _ in 0..<20 { try await environment.session.get(environment.otherServer.url("/who")).validate() }
        let made = environment.piecesMade.value * TourEnvironment.piece.count
        let total = TourEnvironment.pieceCount * TourEnvironment.piece.count
        try expect(made <= total / 2, "a server that waits for its reader", found: "\(size(made)) made")
        while let chunk = try await iterator.next() { received += chunk.count }
        try expect(received, is: total, "the length")
        // After the body was read to its end, the connection is available again.
        let next = try await environment.session.get(environment.otherServer.url("/who")).validate()
        try expect(next.metrics.exchanges.last?.isReused, is: true, "the reuse of a connection")
        return Finding("\(size(made)) of \(size(total)) sent before the body was read", response.metrics.exchanges)
    }

    static func download(_ environment: TourEnvironment) async throws -> Finding {
        let count = 16 << 20
        let file = environment.folder.appending(path: "download")
        let progress = Lock<[Int64]>([])
        let url = environment.server.url("/bytes/\(count)")
        let download = try await environment.session.download(url, to: file) { transfer in
            progress.withLock { $0.append(transfer.completed) }
        }
        let steps = progress.withLock { $0 }
        try expect(steps == steps.sorted() && steps.last == Int64(count), "\(count) in the end", found: steps.suffix(3))
        let content = try Data(contentsOf: file)
        let isWhole = content == Data(TestServer.pattern(count: count))
        try expect(isWhole, "the bytes of the server", found: "\(content.count) others")
        return Finding(
            "\(size(Int(download.byteCount))) in \(steps.count) steps of progress",
            download.metrics.exchanges
        )
    }

    static func codings(_ environment: TourEnvironment) async throws -> Finding {
        var exchanges: [[ExchangeMetrics]] = []
        for name in ["gzip", "deflate", "deflate-raw"] {
            let count = 100_000
            let response = try await environment.session.get(environment.server.url("/\(name)/\(count)")).validate()
            let isWhole = response.data == Data(TestServer.pattern(count: count))
            try expect(isWhole, "\(name) decoded", found: "\(response.data.count) other bytes")
            try expect(response.fields[.contentEncoding], is: nil, "Content-Encoding of \(name)")
            exchanges.append(response.metrics.exchanges)
        }
        let onTheWire = exchanges.joined().reduce(0) { $0 + $1.responseBodyBytes }
        return Finding("300000 bytes out of \(onTheWire)", requests: exchanges)
    }

    static func bomb(_ environment: TourEnvironment) async throws -> Finding {
        let error = try await failure(.expansionLimit) {
            try await environment.session.get(environment.otherServer.url("/bomb"))
        }
        return Finding("stopped before all 4 MiB were decoded", error.exchanges)
    }

    /// Formats a number of bytes.
    private static func size(_ bytes: Int) -> String {
        bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
    }
}

/// The checksum of RFC 1950, which the server returns for the bytes it received.
enum Checksum {
    static func adler32(_ data: Data) -> String {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return (high << 16 | low).padded(to: 8, radix: 16)
    }
}
