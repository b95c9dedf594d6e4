public import ApusCore
internal import ApusJSON
public import Foundation

extension HTTPArchive {
    /// Reads an archive that any program wrote. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - limitBytes: The maximum size of the file. Default: 256 MiB.
    /// - Throws: `ApusError` with the code `fileUnreadable` if the file can't be read or is larger, `decodingFailed` if
    ///   it is not an archive, with the reason and its position.
    public init(contentsOf url: URL, limitBytes: Int = 256 << 20) throws(ApusError) {
        let data = try ArchiveFile(url).read(limitBytes: limitBytes)
        do {
            self = try JSONContentDecoder().decode(HTTPArchive.self, from: data)
        } catch {
            throw ApusError(
                .decodingFailed,
                "'\(url.path(percentEncoded: false))' is not an HTTP archive: \(DecodingFailure.describe(error))",
                underlying: error
            )
        }
    }

    /// Writes the archive to a file that only its owner can read, replacing an existing file atomically. Blocks the
    /// calling thread.
    ///
    /// The data is flushed to the disk before the file is replaced, so a crash leaves the old archive or the new one.
    /// The target of a symbolic link is replaced, not the link. Devices and pipes are written to directly.
    ///
    /// - Parameter url: The file.
    /// - Throws: `ApusError` with the code `fileUnwritable`. The previous file is unchanged.
    public func write(to url: URL) throws(ApusError) {
        let data: Data
        do {
            data = try self.data()
        } catch {
            // An archive built by hand can contain numbers that JSON can't express.
            throw ApusError(.fileUnwritable, "the archive is not JSON", underlying: error)
        }
        try ReplacedFile(url).write(data)
    }

    /// Returns the archive as JSON in UTF-8, indented.
    package func data() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
