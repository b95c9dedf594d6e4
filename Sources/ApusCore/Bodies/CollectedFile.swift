internal import Foundation

/// The content of a response in a file: under a temporary name until the retriers have decided, and then in its place.
///
/// A failing attempt removes the temporary file alone: neither the file that was there before nor one that another process
/// makes meanwhile.
struct CollectedFile: Sendable {
    /// Where the file is, or shall be.
    let destination: URL
    /// Holds the file under its temporary name; `nil` once it is in its place.
    private let sink: FileSink?

    /// A file that its sink has written.
    init(_ sink: FileSink, for destination: URL) {
        self.destination = destination
        self.sink = sink
    }

    /// A file that is in its place.
    init(at destination: URL) {
        self.destination = destination
        self.sink = nil
    }

    var isInPlace: Bool { sink == nil }

    /// Where the file can be read now.
    var url: URL { sink?.temporaryURL ?? destination }

    /// Puts the file in its place, once. A failure removes it.
    func placed() async throws(ApusError) -> CollectedFile {
        try await sink?.place()
        return CollectedFile(at: destination)
    }

    /// Removes the file, unless it is in its place.
    func discard() async {
        await sink?.abandon()
    }
}
