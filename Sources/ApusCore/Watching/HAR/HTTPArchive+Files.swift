public import Foundation

extension HTTPArchive {
    /// Reads an archive, whoever wrote it. It blocks its thread.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - limitBytes: How large it may be; 256 MiB by default.
    /// - Throws: `ApusError` with the code `fileUnreadable` where it can't be read or is larger, `decodingFailed` where it
    ///   is no archive, saying what is wrong and where.
    public init(contentsOf url: URL, limitBytes: Int = 256 << 20) throws(ApusError) {
        let data = try ArchiveFile(url).read(limitBytes: limitBytes)
        do {
            self = try JSONContentDecoder().decode(HTTPArchive.self, from: data)
        } catch {
            throw ApusError(
                .decodingFailed,
                "'\(url.path(percentEncoded: false))' is no HTTP archive: \(DecodingFailure.describe(error))",
                underlying: error
            )
        }
    }

    /// Writes the archive to a file that its owner alone may read, replacing what is there at once or not at all. It blocks
    /// its thread.
    ///
    /// The file is on the disk before it takes its place, so that a crash leaves the old archive or the new one. Where a link
    /// is there, the file that it leads to is replaced. What is no regular file (a device, a pipe) is written to as it is.
    ///
    /// - Parameter url: The file.
    /// - Throws: `ApusError` with the code `fileUnwritable`; what was there before is still there.
    public func write(to url: URL) throws(ApusError) {
        let data: Data
        do {
            data = try self.data()
        } catch {
            // A number that JSON does not know, in an archive that was put together by hand.
            throw ApusError(.fileUnwritable, "the archive is no JSON", underlying: error)
        }
        try ReplacedFile(url).write(data)
    }

    /// The archive as JSON in UTF-8, laid out for people too.
    package func data() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}
