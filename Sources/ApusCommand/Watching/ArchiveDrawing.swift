internal import Apus
internal import Foundation

/// A drawing of an archive instead of a request, as `--from-har` asks for.
struct ArchiveDrawing: Equatable {
    /// The file of the archive.
    let archive: String
    /// The file of the picture, or `nil` to show text.
    let picture: String?
    let pretty: OutputStyle.Pretty?

    /// Creates the drawing that the flags ask for, or returns `nil` if they ask for a request.
    init?(_ invocation: Invocation, words: [String]) throws(CommandFault) {
        guard let archive = invocation.drawnArchive else { return nil }
        guard words.isEmpty, invocation.watching.archive == nil else {
            let other = words.first.map { "'\($0)'" } ?? "--har"
            throw CommandFault("--from-har draws an archive and sends nothing; leave out \(other)")
        }
        guard !archive.isEmpty else { throw CommandFault("--from-har has no file name; name an archive") }
        self.archive = archive
        self.picture = invocation.watching.picture
        self.pretty = invocation.pretty
    }

    /// Draws the archive.
    func run(_ console: Console) throws -> ExitCode {
        let files = console.files
        if let picture {
            guard files.path(picture) != files.path(archive) else {
                throw CommandFault("'\(picture)' is the archive itself; name another file with --waterfall")
            }
            try ExchangeWatchMiddleware.check(picture, files: files, option: "--waterfall")
        }
        let waterfall = Waterfall(try HTTPArchive(contentsOf: URL(filePath: files.path(archive))))
        guard let picture else {
            let output = console.output
            let style = OutputStyle(
                pretty: pretty,
                isTerminal: output.isTerminal,
                allowsColor: console.allowsColor,
                streams: false
            )
            try output.write(waterfall.text(columns: output.columns, colors: style.palette.isColored) + "\n")
            return .success
        }
        try ExchangeWatchMiddleware.write(Data(waterfall.svg().utf8), to: picture, files: files, option: "--waterfall")
        return .success
    }
}
