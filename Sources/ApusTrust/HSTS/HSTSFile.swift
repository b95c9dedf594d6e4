internal import ApusCore
internal import Foundation

/// The file of a store, which is replaced as a whole and readable only by its owner.
struct HSTSFile: SavedFile {
    let url: URL

    /// Returns the entries. Empty if there is no file.
    func read() throws(ApusError) -> [HSTSEntry] {
        guard let data = try PrivateFile(url, or: .fileUnreadable).read() else { return [] }
        do throws(HSTSFileFault) {
            return try HSTSDocument.entries(in: data)
        } catch {
            throw ApusError(
                .fileUnreadable,
                "'\(url.path(percentEncoded: false))' is not an HSTS file: \(error.description); it was not changed"
            )
            .with(file: url)
        }
    }

    func write(_ entries: [HSTSEntry]) throws(ApusError) {
        try PrivateFile(url, or: .fileUnwritable).write(HSTSDocument.data(of: entries))
    }
}

/// Writes the entries of a store to its file.
typealias HSTSSaver = FileSaver<HSTSFile>
