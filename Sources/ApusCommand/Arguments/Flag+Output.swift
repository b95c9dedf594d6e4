extension Flag {
    /// The flags that choose the output, its style and its destination.
    static let output: [Flag] = [
        Flag(
            "p",
            "print",
            .word("HBhbm"),
            """
            What to show: H the request's head, B its body, h the response's head, b its body, m what was measured. \
            On a terminal hb, else b.
            """
        ) { $0.printLetters = $1 },
        Flag("h", "headers", "The same as --print=h.") { $0.shortcut = .head },
        Flag("b", "body", "The same as --print=b.") { $0.shortcut = .body },
        Flag("m", "meta", "The same as --print=m.") { $0.shortcut = .metrics },
        Flag("v", "verbose", "The same as --print=HBhb --all; twice, measurements too.") { $0.verbosity += 1 },
        Flag(
            nil,
            "all",
            """
            Shows every exchange, not only the last: each hop of a redirect, the 401 ahead of a Digest, and each answer \
            after which --retry went again.
            """
        ) { $0.all = true },
        Flag(
            nil,
            "pretty",
            .choice("how", OutputStyle.Pretty.self),
            """
            How to show it: with colors, laid out by format, or both. Without it all on a terminal, else none, which \
            leaves every byte as it came.
            """
        ) { invocation, text throws(CommandFault) in
            invocation.pretty = try choice(text, of: "--pretty")
        },
        Flag(nil, "sorted", "Shows fields, and the members of JSON objects, by name.") { $0.isSorted = true },
        Flag(nil, "unsorted", "Shows them in the order in which they came, as without a flag.") { $0.isSorted = false },
        Flag(
            nil,
            "format-options",
            .word("option:value,..."),
            """
            How to lay it out, as a list: json.indent:4, json.format:true, json.sort_keys:false, headers.sort:false, \
            xml.indent:2, xml.format:true are what holds without it.
            """
        ) { $0.formatLists.append($1) },
        Flag(
            nil,
            "response-charset",
            .word("charset"),
            "Reads the answer as text in this charset, whatever it says: latin1, shift_jis."
        ) { $0.responseCharset = $1 },
        Flag(
            nil,
            "response-mime",
            .word("type/subtype"),
            "Shows the answer as what this is, whatever it says: application/json, text/xml."
        ) { $0.responseMime = $1 },
        Flag("S", "stream", "Shows the body line by line as it comes.") { $0.streams = true },
        Flag(
            "d",
            "download",
            "Follows redirects and saves the body to a file; into a pipe, if there is one and no --output."
        ) { $0.isDownload = true },
        Flag(
            "o",
            "output",
            .file(),
            "Writes to a file what would be shown; with --download, the body. - is standard output."
        ) { $0.output = $1 },
        Flag("q", "quiet", "Shows nothing but faults.") { $0.isQuiet = true },
    ]
}
