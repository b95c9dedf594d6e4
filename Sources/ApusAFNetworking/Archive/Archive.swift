internal import Apus
internal import ApusCore
internal import Foundation

extension HTTPSessionManager {
    /// The settings of a manager, as a value that can be stored.
    ///
    /// ```swift
    /// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/"))
    /// let data = try JSONEncoder().encode(manager.archive())
    /// let again = try HTTPSessionManager(archive: JSONDecoder().decode(HTTPSessionManager.Archive.self, from: data))
    /// print(again.baseURL ?? "none")
    /// ```
    ///
    /// An archive is rejected if its version differs, if its content does not match its checksum, or if it contains
    /// invalid settings. The checksum detects damage and accidental changes. It is not a signature: anyone with write
    /// access to the archive can also replace the checksum.
    public struct Archive: Sendable, Hashable {
        /// The version of archives that this library writes and reads, also of serializers and policies.
        public static let version = 1

        let manager: ArchivedManager
    }
}

extension HTTPSessionManager.Archive: Codable {
    public init(from decoder: any Decoder) throws {
        self.manager = try ArchivedDocument.content(of: .manager, from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try ArchivedDocument.write(manager, of: .manager, to: encoder)
    }
}

extension HTTPSessionManager.Archive {
    /// The maximum size of a file. A typical archive has a few kilobytes, plus its pinned certificates.
    private static let largestFile = 16 << 20

    /// The contents of a file with the archive.
    var data: Data {
        get throws(ApusError) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            do {
                return try encoder.encode(self)
            } catch {
                throw ApusError(.invalidConfiguration, "the manager can't be archived", underlying: error)
            }
        }
    }

    /// Reads an archive from a file.
    init(contentsOf url: URL) throws(ApusError) {
        // Rejects folders, pipes and unreadable files.
        guard let length = try RequestBody.file(url).length, length <= Self.largestFile else {
            throw ApusError(.invalidConfiguration, "it is larger than \(Self.largestFile) bytes").inFile(url)
        }
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            data = try file.read(upToCount: Self.largestFile) ?? Data()
        } catch {
            throw ApusError(.fileUnreadable, "it can't be read", underlying: error).inFile(url)
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch {
            throw ApusError.wrapping(error) {
                ApusError(.invalidConfiguration, "it is not an archive of a session manager", underlying: $0)
            }
            .inFile(url)
        }
    }
}

extension ApusError {
    /// Returns the same error with the path of the file.
    func inFile(_ url: URL) -> ApusError {
        ApusError(code, "'\(url.path(percentEncoded: false))': \(detail)", hint: hint, underlying: underlying)
            .with(file: url)
    }
}
