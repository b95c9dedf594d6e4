package import Foundation

extension ResponseBody {
    /// Reads the body to its end into memory.
    ///
    /// - Parameters:
    ///   - limit: The maximum size in bytes. A larger body throws `bodyTooLarge`.
    ///   - expecting: The length declared in the head, to reserve memory. `nil` if there is none. Default: `nil`.
    ///   - progress: Called after each chunk with the number of bytes received so far. Default: `nil`.
    /// - Returns: The body.
    /// - Throws: `ApusError`: `bodyTooLarge`, or an error of reading the body.
    package consuming func collect(
        upTo limit: Int,
        expecting: Int64? = nil,
        progress: ((Int64) -> Void)? = nil
    ) async throws(ApusError) -> Data {
        switch storage {
        case .empty:
            return Data()
        case .whole(let chunk):
            guard chunk.count <= limit else { throw Self.tooLarge(limit) }
            progress?(Int64(chunk.count))
            return Data(chunk)
        case .stream:
            if let expecting, expecting > limit {
                throw Self.tooLarge(limit)
            }
            var data = Data()
            // The declared length may be wrong, so reserve at most 1 MiB before any data arrives.
            data.reserveCapacity(Swift.min(Int(clamping: expecting ?? 0), 1 << 20))
            var iterator = makeAsyncIterator()
            while let chunk = try await iterator.next() {
                guard data.count + chunk.count <= limit else { throw Self.tooLarge(limit) }
                data.append(chunk)
                progress?(Int64(data.count))
            }
            return data
        }
    }

    /// Reads the body to its end, and keeps only its first bytes.
    ///
    /// - Parameters:
    ///   - count: The number of bytes to keep.
    ///   - limit: The maximum size in bytes. A larger body throws `bodyTooLarge`.
    /// - Returns: The first bytes.
    /// - Throws: `ApusError`: `bodyTooLarge`, or an error of reading the body.
    package consuming func collectBeginning(_ count: Int, upTo limit: Int) async throws(ApusError) -> Data {
        var (data, total) = (Data(), 0)
        var iterator = makeAsyncIterator()
        while let chunk = try await iterator.next() {
            total += chunk.count
            guard total <= limit else { throw Self.tooLarge(limit) }
            if data.count < count { data.append(chunk.prefix(count - data.count)) }
        }
        return data
    }

    /// Reads at most `limit` bytes and cancels the rest. For the body of a rejected response.
    package consuming func collectPrefix(_ limit: Int) async -> Data {
        var data = Data()
        do throws(ApusError) {
            var iterator = makeAsyncIterator()
            while data.count < limit, let chunk = try await iterator.next() {
                data.append(chunk.prefix(limit - data.count))
            }
        } catch {
            // The rejection is the error to report. The bytes read so far are kept with it.
        }
        return data
    }

    /// Reads at most `limit` bytes within a time limit, and cancels the rest. Starts no timer for a body in memory.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - patience: The time limit. `nil` means none.
    ///   - time: The clock.
    ///   - counters: The counters for the timer.
    /// - Returns: The bytes that arrived in time.
    func collectPrefix(
        _ limit: Int,
        within patience: Duration?,
        by time: any SessionClock,
        _ counters: LiveCounters
    ) async -> Data {
        guard case .stream = storage, let patience else { return await collectPrefix(limit) }
        let deadline = time.now.advanced(by: patience)
        return await withTaskGroup(of: Data?.self) { group in
            group.addTask { await collectPrefix(limit) }
            counters.add(to: .timers)
            group.addTask {
                try? await time.sleep(until: deadline)
                counters.remove(from: .timers)
                return nil
            }
            var data = Data()
            // The first to finish cancels the other. A cancelled reader still returns the bytes it has read.
            for await result in group {
                if let result { data = result }
                group.cancelAll()
            }
            return data
        }
    }

    private static func tooLarge(_ limit: Int) -> ApusError {
        ApusError(
            .bodyTooLarge,
            "the body is larger than the limit of \(limit) bytes for bodies in memory",
            hint: "raise limits.collectedBodyBytes, stream it, or download it to a file"
        )
    }
}
