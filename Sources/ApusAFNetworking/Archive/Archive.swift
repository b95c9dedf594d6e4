internal import Apus
internal import ApusCore
internal import Foundation

nonisolated extension HTTPSessionManager {
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
        /// The version of archives that this library writes and reads.
        public static let version = 1

        let manager: ArchivedManager
    }
}

extension HTTPSessionManager.Archive: Codable {
    private enum CodingKeys: String, CodingKey {
        case format
        case version
        case checksum
        case content
    }

    private static let format = "apus-session-manager"

    public init(from decoder: any Decoder) throws {
        do {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard try container.decode(String.self, forKey: .format) == Self.format else {
                throw ApusError(.invalidConfiguration, "it is not an archive of a session manager")
            }
            let version = try container.decode(Int.self, forKey: .version)
            guard version == Self.version else {
                throw ApusError(
                    .invalidConfiguration,
                    "the archive has version \(version), but this library reads version \(Self.version); "
                        + "write a new one"
                )
            }
            let content = try container.decode(String.self, forKey: .content)
            guard try container.decode(String.self, forKey: .checksum) == Self.checksum(of: content) else {
                throw ApusError(
                    .invalidConfiguration,
                    "the archive was changed after it was written: its checksum does not match its content"
                )
            }
            self.manager = try JSONDecoder().decode(ArchivedManager.self, from: Data(content.utf8))
        } catch {
            throw ApusError.wrapping(error) {
                ApusError(.invalidConfiguration, "it is not a complete archive of a session manager", underlying: $0)
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        let inner = JSONEncoder()
        inner.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let content = String(decoding: try inner.encode(manager), as: UTF8.self)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.format, forKey: .format)
        try container.encode(Self.version, forKey: .version)
        try container.encode(Self.checksum(of: content), forKey: .checksum)
        try container.encode(content, forKey: .content)
    }

    /// Returns the 64-bit FNV-1a hash. Two texts that differ in one byte never have the same hash.
    private static func checksum(of text: String) -> String {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return hash.padded(to: 16, radix: 16)
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
        ApusError(code, "'\(url.path(percentEncoded: false))': \(detail)", underlying: underlying)
    }
}
