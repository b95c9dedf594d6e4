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
    /// Holds the file under its temporary name. `nil` once the file is at its destination.
    private let sink: FileSink?

    /// Wraps a file that `sink` has written.
    init(_ sink: FileSink, for destination: URL) {
        self.destination = destination
        self.sink = sink
    }

    /// Wraps a file that is already at its destination.
    init(at destination: URL) {
        self.destination = destination
        self.sink = nil
    }

    var isInPlace: Bool { sink == nil }

    /// The current location of the file.
    var url: URL { sink?.temporaryURL ?? destination }

    /// Moves the file to its destination, once. Removes it on failure.
    func placed() async throws(ApusError) -> CollectedFile {
        try await sink?.place()
        return CollectedFile(at: destination)
    }

    /// Removes the file, unless it is at its destination.
    func discard() async {
        await sink?.abandon()
    }
}
