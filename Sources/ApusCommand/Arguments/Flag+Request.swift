extension Flag {
    /// The flags that define the body and the fields of the request.
    static let request: [Flag] = [
        Flag(
            "j",
            "json",
            "Sends the items as JSON (default). Sends Accept and Content-Type for JSON even without items."
        ) { $0.style = .json(isExplicit: true) },
        Flag("f", "form", "Sends the items as a form. If one is a file, sends multipart/form-data.") {
            $0.style = .form
        },
        Flag(nil, "multipart", "Sends the items as multipart/form-data, even without a file.") {
            $0.style = .multipart
        },
        Flag(
            nil,
            "boundary",
            .text("text"),
            "The boundary between the parts of a form, in place of a random one."
        ) { $0.boundary = $1 },
        Flag(
            nil,
            "raw",
            .text("text"),
            "Sends this text as the body. Its Content-Type is JSON unless --form or an item sets another."
        ) { $0.rawBody = $1 },
        Flag("x", "compress", "Compresses the body with deflate if that makes it shorter; -xx always does.") {
            $0.compression = $0.compression == .off ? .economic : .always
        },
        Flag(
            "a",
            "auth",
            .text("user[:password]"),
            "user:password, or a token for --auth-type=bearer. Asks for the password if only the user is given."
        ) { $0.auth = $1 },
        Flag(
            "A",
            "auth-type",
            .choice("scheme", Credentials.Scheme.self),
            """
            The scheme for --auth: basic, the default; digest, which waits for a challenge and sends no password; \
            bearer, for a token.
            """
        ) { invocation, text throws(CommandFault) in
            invocation.scheme = try choice(text, of: "--auth-type")
        },
        Flag(
            nil,
            "ignore-netrc",
            "Ignores ~/.netrc and the file that NETRC names, which otherwise supply passwords without --auth."
        ) { $0.ignoresNetrc = true },
        Flag(
            nil,
            "session",
            .word("name|file"),
            """
            Keeps cookies, credentials and header fields (but Content-* and If-*) for the next call, as plain text: \
            for this host under a name, or in a file, named with a slash: ./ada.json.
            """
        ) { invocation, text throws(CommandFault) in
            try invocation.take(session: text, isReadOnly: false)
        },
        Flag(nil, "session-read-only", .word("name|file"), "The same, but an existing session is not changed.") {
            invocation,
            text throws(CommandFault) in
            try invocation.take(session: text, isReadOnly: true)
        },
        Flag(
            nil,
            "default-scheme",
            .word("scheme"),
            "The scheme of a URL that has none: http, https. (default: http)"
        ) { $0.defaultScheme = $1 },
        Flag("I", "ignore-stdin", "Does not read standard input.") { $0.readsInput = false },
    ]

    /// Parses one of a fixed set of words.
    static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String,
        of flag: String
    ) throws(CommandFault) -> Choice where Choice.RawValue == String {
        if let choice = Choice(rawValue: text) { return choice }
        let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFault("\(flag) accepts \(known), not '\(text)'; see apus --help")
    }

    /// Parses a number from 0 up.
    static func count(_ text: String, of flag: String) throws(CommandFault) -> Int {
        if let count = Int(text), count >= 0 { return count }
        throw CommandFault("\(flag) needs a number from 0 to \(Int.max), not '\(text)'")
    }
}
