extension Flag {
    /// The flags of transfers that take several requests.
    static let transfers: [Flag] = [
        Flag(
            nil,
            "segments",
            .word("number"),
            """
            With --download to a file: receives it over this many connections at once, up to 16. Without --output, \
            FILE is the name in the URL.
            """
        ) { invocation, text throws(CommandFault) in
            invocation.transfers.segments = try segmentCount(text)
        },
        Flag(
            nil,
            "queue",
            Value(name: "folder", isFile: true),
            """
            Adds the download to the queue in this folder, and ends. The queue keeps its fields, with passwords, its \
            --checksum and its --retry, for the owner alone.
            """
        ) { $0.transfers.queue = $1 },
        Flag(
            nil,
            "run",
            """
            Performs the downloads of --queue, 4 at a time, also those that an earlier run has begun. Prints a JSON \
            object with url, file, bytes, sha256 and error for each that ends.
            """
        ) { $0.transfers.runsQueue = true },
        Flag(
            nil,
            "resumable",
            """
            Sends the body as an upload that goes on after an interruption, if the server supports that. It fails \
            after 5 attempts without progress, or those of --retry.
            """
        ) { $0.transfers.isResumable = true },
        Flag(
            nil,
            "interop-version",
            .choice("number", TransferArguments.DraftVersion.self),
            "With --resumable: the version of the draft that the server speaks. Without this flag, 6."
        ) { invocation, text throws(CommandFault) in
            invocation.transfers.draftVersion = try choice(text, of: "--interop-version")
        },
    ]

    private static func segmentCount(_ text: String) throws(CommandFault) -> Int {
        let most = TransferArguments.mostSegments
        if let count = Int(text), (1...most).contains(count) { return count }
        throw CommandFault("--segments needs a number from 1 to \(most), not '\(text)'")
    }
}
