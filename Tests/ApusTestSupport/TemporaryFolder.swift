package import Foundation

/// A temporary folder, which is deleted with this object.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the URL of a file in the folder.
    package func url(_ name: String) -> URL { url.appending(path: name) }

    /// Creates or overwrites a file in the folder.
    @discardableResult
    package func write(_ data: Data, to name: String) throws -> URL {
        try data.write(to: url(name))
        return url(name)
    }

    /// Creates or overwrites a file in the folder.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> URL { try write(Data(text.utf8), to: name) }

    /// Truncates or extends a file in the folder.
    package func truncate(_ name: String, to length: UInt64) throws {
        let handle = try FileHandle(forWritingTo: url(name))
        try handle.truncate(atOffset: length)
        try handle.close()
    }

    /// The sorted names of the files in the folder, including hidden ones.
    package var names: [String] { get throws { try ApusTestSupport.names(in: url) } }
}

/// Calls `work` with a temporary folder, which is removed with its contents afterwards.
package func inFolder(_ work: (URL) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    try await work(folder.url)
}

/// Returns the sorted names of the files in a folder, including hidden ones.
package func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
}

/// Returns the text of a file.
package func text(_ file: URL) throws -> String {
    String(decoding: try Data(contentsOf: file), as: UTF8.self)
}

/// Creates a file with that text.
package func makeFile(_ file: URL, _ text: String) throws {
    try Data(text.utf8).write(to: file)
}
