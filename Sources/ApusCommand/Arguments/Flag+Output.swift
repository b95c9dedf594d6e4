internal import Apus

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
            Follows redirects and saves the body to a file, which is FILE.part until it is complete. An existing FILE \
            stays, and the new one is FILE-1. If standard output is a pipe or file, writes there unless --output is \
            given.
            """
        ) { $0.isDownload = true },
        Flag(
            "c",
            "continue",
            """
            Continues the FILE.part of a download that has failed, which begins anew without this flag. Needs \
            --download or --output. Without --output, FILE is the name in the URL.
            """
        ) { $0.continues = true },
        Flag(
            nil,
            "checksum",
            .word("sha256:hex"),
            "With --download: the digest that the file must have, as sha256:hex or sha512:hex."
        ) { invocation, text throws(CommandFault) in
            invocation.checksum = try checksum(text)
        },
        Flag(
            "o",
            "output",
            .file(),
            """
            Writes the output (with --download, the body) to a file, and replaces one that exists. '-' means standard \
            output.
            """
        ) { $0.output = $1 },
        Flag("q", "quiet", "Shows only errors.") { $0.isQuiet = true },
    ]

    /// Parses the value of `--checksum`. The algorithm and the digits may be in upper case.
    private static func checksum(_ text: String) throws(CommandFault) -> ExpectedDigest {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { $0.lowercased() }
        let (algorithm, digits) = parts.count == 2 ? (parts[0], parts[1]) : ("", "")
        do throws(ApusError) {
            switch algorithm {
            case "sha256": return try .sha256(digits)
            case "sha512": return try .sha512(digits)
            default: break
            }
        } catch {
            throw CommandFault("--checksum can't be used: \(error.detail)")
        }
        throw CommandFault("--checksum needs sha256: and 64 hexadecimal digits, or sha512: and 128, not '\(text)'")
    }
}
