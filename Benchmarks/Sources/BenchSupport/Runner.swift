internal import Foundation

/// Runs the work of the command line with a client, prints the measurement, and exits the process.
public func runBenchmark<Client: BenchClient>(_: Client.Type) async {
    do {
        let options = try Options(CommandLine.arguments)
        let client = try await Client(options)
        let measurement = try await measure(client, options)
        try measurement.print()
        try await client.close()
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("\(CommandLine.arguments.first ?? "bench"): \(error)\n".utf8))
        exit(1)
    }
}

private func measure<Client: BenchClient>(_ client: Client, _ options: Options) async throws -> Measurement {
    let url = options.url
    let file = options.file
    switch try options.kind() {
    case .get: return try await loop(client, options) { try await client.get(url) }
    case .json: return try await loop(client, options) { try await client.decode(url) }
    case .jsonApart: return try await loop(client, options) { try client.decodeJSON(await client.content(url)) }
    case .drop: return try await loop(client, options) { try await client.drop(url) }
    case .save: return try await loop(client, options) { try await client.save(url, to: file) }
    case .upload: return try await loop(client, options) { try await client.upload(file, to: url) }
    case .multipart: return try await loop(client, options) { try await client.uploadMultipart(file, to: url) }
    case .encodeJSON where options.mode == .foundation:
        return try await loop(client, options) { try JSONEncoder().encode(Record()).count }
    case .encodeJSON: return try await loop(client, options) { try client.encodeJSON(Record()) }
    case .encodeForm: return try await loop(client, options) { try client.encodeForm(Record()) }
    case .decode:
        let content = try Data(contentsOf: URL(fileURLWithPath: file))
        if options.mode == .foundation {
            return try await loop(client, options) { try JSONDecoder().decode([Item].self, from: content).count }
        }
        return try await loop(client, options) { try client.decodeJSON(content) }
    case .idle: return try await idle(client, options)
    case .queued: return try await queued(client, options)
    }
}

/// Measures `requests` requests, with `concurrency` of them at a time.
private func loop<Client: BenchClient>(
    _ client: Client,
    _ options: Options,
    _ request: @escaping @Sendable () async throws -> Int
) async throws -> Measurement {
    if let warmURL = options.warmURL {
        _ = try await work(client, count: 1, concurrency: 1, expected: nil) { try await client.drop(warmURL) }
    } else {
        let count = max(options.requests / 10, options.concurrency * 4)
        _ = try await work(
            client,
            count: count,
            concurrency: options.concurrency,
            expected: options.expectedByteCount,
            request
        )
    }
    Meter.resetPeak()
    let baseline = Meter.residentBytes()
    let cpuStart = Meter.processorSeconds()
    let start = ContinuousClock.now
    let bytes = try await work(
        client,
        count: options.requests,
        concurrency: options.concurrency,
        expected: options.expectedByteCount,
        request
    )
    let elapsed = ContinuousClock.now - start
    let cpu = Meter.processorSeconds() - cpuStart
    return Measurement(
        requests: options.requests,
        bytes: bytes,
        seconds: elapsed / .seconds(1),
        cpuSeconds: cpu,
        residentBytes: Meter.peakResidentBytes(),
        baselineBytes: baseline,
        sockets: Meter.openSocketCount()
    )
}

/// Distributes `count` requests over `concurrency` tasks, and returns the sum of their results.
private func work<Client: BenchClient>(
    _ client: Client,
    count: Int,
    concurrency: Int,
    expected: Int?,
    _ request: @escaping @Sendable () async throws -> Int
) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
        for worker in 0..<concurrency {
            let share = count / concurrency + (worker < count % concurrency ? 1 : 0)
            group.addTask(executorPreference: client.executor) {
                var total = 0
                for _ in 0..<share {
                    let size = try await request()
                    guard size == expected ?? size else {
                        throw BenchError("a response has \(size) instead of \(expected ?? 0)")
                    }
                    total += size
                }
                return total
            }
        }
        return try await group.reduce(0, +)
    }
}
