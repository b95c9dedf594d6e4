/// The records that the command line asks for.
struct Watching: Equatable {
    /// The file of the archive, or `nil` for none.
    var archive: String?
    /// The file of the picture, or `nil` for none.
    var picture: String?
    /// Whether each step is written to standard error.
    var traces = false

    /// Checks that no archive or picture is requested, for a request that is not sent.
    ///
    /// - Throws: `CommandFault` if one is.
    func checkUnsent() throws(CommandFault) {
        guard archive != nil || picture != nil else { return }
        let option = archive == nil ? "--waterfall" : "--har"
        throw CommandFault("\(option) needs an exchange, but nothing is sent; leave out --offline and --curl")
    }

    /// Whether anything is recorded.
    var isWanted: Bool { wantsContent || traces }

    /// Whether the whole response must be read, even if it is not shown.
    var wantsContent: Bool { archive != nil || picture != nil }

    /// Returns the name of a file. Throws for `-`, which means standard output.
    static func file(_ name: String, of option: String) throws(CommandFault) -> String {
        guard name != "-" else {
            throw CommandFault("\(option) needs the name of a file, since standard output is for the response")
        }
        return name
    }
}
