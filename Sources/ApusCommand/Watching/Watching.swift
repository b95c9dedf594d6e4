/// What the command line wants to be written down.
struct Watching: Equatable {
    /// The file of the archive; `nil` where none is wanted.
    var archive: String?
    /// The file of the picture; `nil` where none is wanted.
    var picture: String?
    /// Whether each step is told.
    var traces = false

    /// Refuses to write down what is not sent.
    ///
    /// - Throws: `CommandFault` where anything is to be written down.
    func checkUnsent() throws(CommandFault) {
        guard archive != nil || picture != nil else { return }
        let option = archive == nil ? "--waterfall" : "--har"
        throw CommandFault("\(option) needs an exchange, and nothing is sent; leave out --offline and --curl")
    }

    /// Whether anything is to be written down.
    var isWanted: Bool { wantsContent || traces }

    /// Whether the whole answer is wanted, even if it is not shown.
    var wantsContent: Bool { archive != nil || picture != nil }

    /// The name of a file, which standard output is not.
    static func file(_ name: String, of option: String) throws(CommandFault) -> String {
        guard name != "-" else {
            throw CommandFault("\(option) needs the name of a file, since standard output is for the answer")
        }
        return name
    }
}
