internal import Apus
internal import ApusCore
internal import Foundation

/// A folder for one test, gone when it is let go.
final class Scratch: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "apus-forms-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The URL of a file of the folder.
    func url(_ name: String) -> URL { folder.appending(path: name) }

    /// Makes, or changes, a file of the folder.
    @discardableResult
    func write(_ data: Data, to name: String) throws -> URL {
        try data.write(to: url(name))
        return url(name)
    }

    /// Cuts a file of the folder off, or makes it longer.
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
    /// The whole content, from its first byte on.
    var read: Data {
        get async throws {
            let reader = try await open()
            var data = Data()
            while let chunk = try await reader.next() { data.append(chunk) }
            return data
        }
    }

    /// Whether it is bytes in memory.
    var isInMemory: Bool {
        if case .bytes = storage { true } else { false }
    }
}

/// A stream of texts that ends, or throws.
func chunks(_ texts: [String], failing failure: (any Error)? = nil) -> AsyncThrowingStream<BodyChunk, any Error> {
    AsyncThrowingStream { stream in
        for text in texts { stream.yield(BodyChunk(text)) }
        stream.finish(throwing: failure)
    }
}

/// The error that `work` throws, where it is one of the library's.
func failure(_ work: () async throws -> some Any) async -> ApusError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? ApusError
    }
}
