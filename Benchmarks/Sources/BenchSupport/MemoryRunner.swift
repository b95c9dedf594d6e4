internal import Foundation

/// Measures the memory of `concurrency` idle connections.
func idle<Client: BenchClient>(_ client: Client, _ options: Options) async throws -> Measurement {
    let count = options.concurrency
    _ = try await client.get(options.url)
    let baseline = try await settledResidentBytes()
    return try await withThrowingTaskGroup(of: Int.self) { group in
        let start = ContinuousClock.now
        // The server delays all responses until all requests are sent, so each request needs its own connection.
        for _ in 0..<count {
            group.addTask(executorPreference: client.executor) { try await client.get(options.holdURL) }
        }
        _ = try await settledResidentBytes()
        try release(options)
        let bytes = try await group.reduce(0, +)
        let resident = try await settledResidentBytes()
        return Measurement(
            requests: count,
            bytes: bytes,
            seconds: (ContinuousClock.now - start) / .seconds(1),
            cpuSeconds: Meter.processorSeconds(),
            residentBytes: resident,
            baselineBytes: baseline,
            sockets: Meter.openSocketCount()
        )
    }
}

/// Measures the memory of `requests` queued requests, while `concurrency` others occupy every connection.
func queued<Client: BenchClient>(_ client: Client, _ options: Options) async throws -> Measurement {
    let (count, limit) = (options.requests, options.concurrency)
    return try await withThrowingTaskGroup(of: Int.self) { group in
        let start = ContinuousClock.now
        for _ in 0..<limit {
            group.addTask(executorPreference: client.executor) { try await client.get(options.holdURL) }
        }
        let baseline = try await settledResidentBytes()
        let finished = Counter()
        for _ in 0..<count {
            group.addTask(executorPreference: client.executor) {
                let size = try await client.get(options.url)
                finished.increment()
                return size
            }
        }
        let resident = try await settledResidentBytes()
        let sockets = Meter.openSocketCount()
        guard finished.value == 0 else {
            throw BenchError("\(finished.value) of \(count) requests did not wait for a connection")
        }
        try release(options)
        let bytes = try await group.reduce(0, +)
        guard finished.value == count else { throw BenchError("only \(finished.value) of \(count) requests ended") }
        return Measurement(
            requests: count,
            bytes: bytes,
            seconds: (ContinuousClock.now - start) / .seconds(1),
            cpuSeconds: Meter.processorSeconds(),
            residentBytes: resident,
            baselineBytes: baseline,
            sockets: sockets
        )
    }
}

/// Lets the server respond to the held requests.
private func release(_ options: Options) throws {
    try Data().write(to: URL(fileURLWithPath: options.release))
}

/// Waits until memory and CPU time have not changed for half a second, and returns the resident memory.
private func settledResidentBytes() async throws -> Int {
    var (last, cpu, quiet) = (0, 0.0, 0)
    for _ in 0..<600 where quiet < 5 {
        try await Task.sleep(for: .milliseconds(100))
        let (now, used) = (Meter.residentBytes(), Meter.processorSeconds())
        quiet = abs(now - last) <= 65536 && used - cpu < 0.01 ? quiet + 1 : 0
        (last, cpu) = (now, used)
    }
    return last
}
