/// The limits of the files of a queue. They keep the log below the largest file that `PrivateFile` reads, 64 MiB.
enum QueueLimits {
    /// The JSON text of a record in bytes. A transfer with a longer one can't be added.
    static let recordBytes = 256 << 10
    /// The transfers in a queue. Further ones wait in `incoming`.
    static let transferCount = 20_000
    /// The log in bytes. Above it, added transfers wait in `incoming`, so that the records of the others have room.
    static let additionBytes: Int64 = 24 << 20
    /// The log in bytes. A record that would exceed it ends the run.
    static let logBytes: Int64 = 60 << 20
    /// The log in bytes below which it is compacted by the number of its records only.
    static let compactionBytes: Int64 = 32 << 20
    /// The bytes that are appended before the log is compacted for its size again.
    static let growthBytes: Int64 = 8 << 20
    /// The records without any effect left, beside four for each transfer.
    static let spareRecordCount = 1_000
    /// One change in bytes. More transfers can't be added at once.
    static let changeBytes = 8 << 20
    /// The records of one change. More transfers can't be added at once.
    static let changeRecordCount = 10_000
    /// The parts of removed transfers that are deleted at a time. Further ones wait.
    static let discardCount = 8
    /// The age of an incomplete change from which on it counts as that of a killed process, and is removed.
    static let incompleteAge: Duration = .seconds(3_600)
    /// The text of a failure in bytes. The rest is not kept.
    static let failureBytes = 500
    /// The body of the response to an upload in bytes. The rest is not kept.
    static let responseBytes = 64 << 10
    /// The time of the request that removes the server's part of an upload. The part stays there after it.
    static let withdrawalTime: Duration = .seconds(30)
    /// The bodies of all responses in bytes that are kept when the log is compacted. Those of older ones are removed.
    static let keptResponseBytes = 4 << 20
    /// The bytes of a resumable upload that the server confirms between two records of its state.
    static let confirmedBytes: Int64 = 16 << 20
}
