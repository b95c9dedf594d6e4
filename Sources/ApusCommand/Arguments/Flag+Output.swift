extension Flag {
    /// The flags that choose the output, its style and its destination.
    static let output: [Flag] = [
        Flag(
            "p",
            "print",
            .word("HBhbm"),
            """
            The parts to show: H the request's head, B its body, h the response's head, b its body, m the metrics. \
            On a terminal hb, else b.
            """
        ) { $0.printLetters = $1 },
        Flag("h", "headers", "The same as --print=h.") { $0.shortcut = .head },
        Flag("b", "body", "The same as --print=b.") { $0.shortcut = .body },
        Flag("m", "meta", "The same as --print=m.") { $0.shortcut = .metrics },
        Flag("v", "verbose", "The same as --print=HBhb --all. -vv also shows the metrics.") { $0.verbosity += 1 },
        Flag(
            nil,
            "all",
            """
            Shows every exchange, not only the last: redirects, the 401 before a Digest, and each response that \
            --retry retried.
            """
        ) { $0.all = true },
        Flag(
            nil,
            "pretty",
            .choice("how", OutputStyle.Pretty.self),
            """
            The style of the output: colors, a layout by format, or both. By default all on a terminal, else none, \
            which leaves every byte unchanged.
            """
        ) { invocation, text throws(CommandFault) in
            invocation.pretty = try choice(text, of: "--pretty")
        },
        Flag(nil, "sorted", "Shows fields, and the members of JSON objects, by name.") { $0.isSorted = true },
        Flag(nil, "unsorted", "Keeps the received order of fields and members (default).") { $0.isSorted = false },
        Flag(
            nil,
            "format-options",
            .word("option:value,..."),
            """
            The layout, as a list. Its defaults: json.indent:4, json.format:true, json.sort_keys:false, \
            headers.sort:false, xml.indent:2, xml.format:true.
            """
        ) { $0.formatLists.append($1) },
        Flag(
            nil,
            "response-charset",
            .word("charset"),
            "Overrides the charset of the response, for example latin1."
        ) { $0.responseCharset = $1 },
        Flag(
            nil,
            "response-mime",
            .word("type/subtype"),
            "Overrides the media type of the response, for example text/xml."
        ) { $0.responseMime = $1 },
        Flag("S", "stream", "Shows the body line by line as it arrives.") { $0.streams = true },
        Flag(
            "d",
            "download",
            """
            Follows redirects and saves the body to a file. If standard output is a pipe or file, writes there unless \
            --output is given.
            """
        ) { $0.isDownload = true },
        Flag(
            "o",
            "output",
            .file(),
            "Writes the output (with --download, the body) to a file. '-' means standard output."
        ) { $0.output = $1 },
        Flag("q", "quiet", "Shows only errors.") { $0.isQuiet = true },
    ]
}
