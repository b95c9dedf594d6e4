package import Foundation

extension ResponseBody {
    /// Reads the body to its end into memory.
    ///
    /// - Parameters:
    ///   - limit: The most bytes that are kept; one more fails.
    ///   - expecting: How many bytes the head promised, to make room once; `nil` where it did not say.
    ///   - progress: Told after each chunk how many bytes are here.
    /// - Returns: The content.
    /// - Throws: `ApusError`: `bodyTooLarge`, or what reading throws.
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
            // A promise is no proof: room is made for a mebibyte at the most before anything has come.
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

    /// Reads at most `limit` bytes and lets go of the rest: for the content of an answer that is refused.
    package consuming func collectPrefix(_ limit: Int) async -> Data {
        var data = Data()
        do throws(ApusError) {
            var iterator = makeAsyncIterator()
            while data.count < limit, let chunk = try await iterator.next() {
                data.append(chunk.prefix(limit - data.count))
            }
        } catch {
            // The refusal is the error that counts; what came of its content is kept with it.
        }
        return data
    }

    /// Reads at most `limit` bytes, for a time at most, and lets go of the rest. A content that is whole starts no timer.
    ///
    /// - Parameters:
    ///   - limit: The most bytes.
    ///   - patience: The time; `nil` is any time.
    ///   - time: The clock.
    ///   - counters: Where the timer is counted.
    /// - Returns: What came in time.
    func collectPrefix(
        _ limit: Int,
        within patience: Duration?,
        by time: any RequestTime,
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
            // The first cancels the other. A reader that is cancelled still has what came.
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
            "the content is larger than the \(limit) bytes that are kept in memory; "
                + "raise limits.collectedBodyBytes, stream it, or download it to a file"
        )
    }
}
