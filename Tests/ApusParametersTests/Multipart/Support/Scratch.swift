internal import Apus
internal import ApusCore
internal import Foundation

/// A folder for one test, deleted with this object.
final class Scratch: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "apus-forms-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns the URL of a file in the folder.
    func url(_ name: String) -> URL { folder.appending(path: name) }

    /// Creates or overwrites a file in the folder.
    @discardableResult
    func write(_ data: Data, to name: String) throws -> URL {
        try data.write(to: url(name))
        return url(name)
    }

    /// Truncates or extends a file in the folder.
    func truncate(_ name: String, to length: UInt64) throws {
        let handle = try FileHandle(forWritingTo: url(name))
        try handle.truncate(atOffset: length)
        try handle.close()
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted() }
    }
}

extension RequestBody {
    /// All bytes of the body, from the first on.
    var read: Data {
        get async throws {
            let reader = try await open()
            var data = Data()
            while let chunk = try await reader.next() { data.append(chunk) }
            return data
        }
    }

    /// Whether the body is bytes in memory.
    var isInMemory: Bool {
        if case .bytes = storage { true } else { false }
    }
}

/// Returns a stream of texts that ends or throws.
func chunks(_ texts: [String], failing failure: (any Error)? = nil) -> AsyncThrowingStream<BodyChunk, any Error> {
    AsyncThrowingStream { stream in
        for text in texts { stream.yield(BodyChunk(text)) }
        stream.finish(throwing: failure)
    }
}

/// Returns the error that `work` throws if it is an `ApusError`.
func failure(_ work: () async throws -> some Any) async -> ApusError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? ApusError
    }
}
