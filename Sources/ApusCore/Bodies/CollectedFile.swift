internal import Foundation

/// The body of a response in a file. The file has a temporary name until the retriers have decided.
///
/// A failed attempt removes only the temporary file. It leaves the destination alone, whether the file there existed
/// before or another process has created it since.
///
/// Serializers and retriers read the temporary file. `URLResponseSerializer` and `DownloadResponse.fileURL` name the
/// destination. A request that is cancelled before the move leaves no file, and one that is cancelled later has already
/// succeeded. If the move fails, the request fails, and the retriers are not called again.
struct CollectedFile: Sendable {
    /// The final location of the file.
    let destination: URL
    /// The file under its temporary name. `nil` once it is at its destination.
    let part: PartialFile?

    /// The size of the file.
    let byteCount: Int64

    /// Wraps a part that is complete.
    init(_ part: PartialFile) {
        self.init(at: part.destination, byteCount: part.byteCount, part)
    }

    /// Wraps a file that is already at its destination.
    init(at destination: URL, byteCount: Int64) {
        self.init(at: destination, byteCount: byteCount, nil)
    }

    private init(at destination: URL, byteCount: Int64, _ part: PartialFile?) {
        self.destination = destination
        self.byteCount = byteCount
        self.part = part
    }

    /// The file at its destination, for a receiver that may keep it for long. It does not hold the open file.
    var named: CollectedFile { CollectedFile(at: destination, byteCount: byteCount) }

    var isInPlace: Bool { part == nil }

    /// The current location of the file.
    var url: URL { part?.url ?? destination }

    /// Returns the first bytes of the file, or none if it can't be read. Blocks.
    func beginning(_ limit: Int) -> Data {
        guard let file = try? FileHandle(forReadingFrom: url) else { return Data() }
        defer { try? file.close() }
        return (try? file.read(upToCount: limit)) ?? Data()
    }

    /// Moves the file to its destination, once. On failure it keeps its temporary name.
    func placed() async throws(ApusError) -> CollectedFile {
        try await part?.place()
        return named
    }

    /// Removes the file, unless it is at its destination.
    func discard() async {
        await part?.discard()
    }
}
