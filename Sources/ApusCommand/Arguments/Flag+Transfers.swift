internal import Apus

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
            Adds the download to the queue in this folder, and ends. With the item @FILE, adds an upload. The queue \
            keeps its fields, with passwords, its --checksum, --segments, --resumable and --retry, for the owner \
            alone.
            """
        ) { $0.transfers.queue = $1 },
        Flag(
            nil,
            "priority",
            .word("number"),
            "The priority of the transfer in --queue. Higher ones start first. Without this flag, 0."
        ) { invocation, text throws(CommandFault) in
            invocation.transfers.priority = try priority(text)
        },
        Flag(
            nil,
            "run",
            """
            Performs the transfers of --queue, 4 at a time, also those that an earlier run has begun. Prints a JSON \
            object with url, file, bytes, sha256 and error for each that ends, and with status and body for an upload.
            """
        ) { $0.transfers.runsQueue = true },
        Flag(
            nil,
            "list",
            """
            Prints the transfers of --queue, also while another process runs it: a table on a terminal, else a JSON \
            object with id, state, url, file, bytes, priority and error for each.
            """
        ) { $0.transfers.listsQueue = true },
        Flag(nil, "pause", .word("id"), "Pauses a transfer of --queue, and keeps its part.") {
            $0.transfers.changes.append(QueueChange(action: .pause, id: TransferID(rawValue: $1)))
        },
        Flag(nil, "resume", .word("id"), "Lets a transfer of --queue start that was paused or has failed.") {
            $0.transfers.changes.append(QueueChange(action: .resume, id: TransferID(rawValue: $1)))
        },
        Flag(nil, "remove", .word("id"), "Removes a transfer from --queue, and its part.") {
            $0.transfers.changes.append(QueueChange(action: .remove, id: TransferID(rawValue: $1)))
        },
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

    private static func priority(_ text: String) throws(CommandFault) -> Int {
        if let number = Int(text) { return number }
        throw CommandFault("--priority needs a whole number, not '\(text)'")
    }

    private static func segmentCount(_ text: String) throws(CommandFault) -> Int {
        let most = TransferArguments.mostSegments
        if let count = Int(text), (1...most).contains(count) { return count }
        throw CommandFault("--segments needs a number from 1 to \(most), not '\(text)'")
    }
}
