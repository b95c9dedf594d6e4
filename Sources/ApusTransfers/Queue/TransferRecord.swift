/// A record of the log of a queue: a change of one transfer.
///
/// The JSON text of each has the member `event`, and those of the change. A later version may add events and members,
/// with a higher number in `log`, so that an older one refuses the file.
enum TransferRecord: Hashable, Sendable {
    /// A failed attempt of a transfer.
    struct FailedAttempt: Codable, Hashable, Sendable {
        /// The number of failures since the transfer was added or resumed.
        var failureCount: Int
        /// The earliest time of the next attempt, in milliseconds since 1970. `nil` if there is none.
        var notBefore: Int64?
        var failure: TransferFailure
    }

    /// The version of the format. Version 2 has uploads, segments and the trust of transfers.
    static let version = 2

    /// The first record of a log.
    case log(version: Int)
    case added(Transfer)
    case paused(TransferID)
    case resumed(TransferID)
    /// The transfer is to be removed. It is gone once the part of its file is.
    case removed(TransferID)
    case started(TransferID)
    /// The file is complete, and is moved to its destination after this record.
    case placing(TransferID, FileFingerprint)
    case failed(TransferID, FailedAttempt)
    case finished(TransferID, FileFingerprint)
    /// The state from which an upload is continued. `nil` if the server has lost its part.
    case uploading(TransferID, ResumableUpload.State?)
    /// The server has accepted an upload.
    case uploaded(TransferID, TransferResponse)
    case gone(TransferID)

    /// Whether the record is a change that a user makes.
    var isRequest: Bool {
        switch self {
        case .added, .paused, .resumed, .removed: true
        case .log, .started, .placing, .failed, .finished, .uploading, .uploaded, .gone: false
        }
    }

    /// Whether the record adds a transfer.
    var isAddition: Bool {
        if case .added = self { true } else { false }
    }

    /// The transfer that the record is about. `nil` for the first record of a log.
    var transferID: TransferID? {
        switch self {
        case .log: nil
        case .added(let transfer): transfer.id
        case .paused(let id), .resumed(let id), .removed(let id), .started(let id), .gone(let id): id
        case .placing(let id, _), .failed(let id, _), .finished(let id, _): id
        case .uploading(let id, _), .uploaded(let id, _): id
        }
    }
}

extension TransferRecord: Codable {
    private enum Key: String, CodingKey {
        case event, id, version, transfer, file, attempt, upload, response
    }

    private enum Event: String, Codable {
        case log, added, paused, resumed, removed, started, placing, failed, finished, uploading, uploaded, gone
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let event = try values.decode(Event.self, forKey: .event)
        switch event {
        case .log:
            self = .log(version: try values.decode(Int.self, forKey: .version))
            return
        case .added:
            self = .added(try values.decode(Transfer.self, forKey: .transfer))
            return
        case .paused, .resumed, .removed, .started, .placing, .failed, .finished, .uploading, .uploaded, .gone:
            break
        }
        let id = try values.decode(TransferID.self, forKey: .id)
        switch event {
        case .log, .added, .paused: self = .paused(id)
        case .resumed: self = .resumed(id)
        case .removed: self = .removed(id)
        case .started: self = .started(id)
        case .placing: self = .placing(id, try values.decode(FileFingerprint.self, forKey: .file))
        case .failed: self = .failed(id, try values.decode(FailedAttempt.self, forKey: .attempt))
        case .finished: self = .finished(id, try values.decode(FileFingerprint.self, forKey: .file))
        case .uploading:
            self = .uploading(id, try values.decodeIfPresent(ResumableUpload.State.self, forKey: .upload))
        case .uploaded: self = .uploaded(id, try values.decode(TransferResponse.self, forKey: .response))
        case .gone: self = .gone(id)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        func encode(_ event: Event, _ id: TransferID) throws {
            try values.encode(event, forKey: .event)
            try values.encode(id, forKey: .id)
        }
        switch self {
        case .log(let version):
            try values.encode(Event.log, forKey: .event)
            try values.encode(version, forKey: .version)
        case .added(let transfer):
            try values.encode(Event.added, forKey: .event)
            try values.encode(transfer, forKey: .transfer)
        case .paused(let id): try encode(.paused, id)
        case .resumed(let id): try encode(.resumed, id)
        case .removed(let id): try encode(.removed, id)
        case .started(let id): try encode(.started, id)
        case .placing(let id, let file):
            try encode(.placing, id)
            try values.encode(file, forKey: .file)
        case .failed(let id, let attempt):
            try encode(.failed, id)
            try values.encode(attempt, forKey: .attempt)
        case .finished(let id, let file):
            try encode(.finished, id)
            try values.encode(file, forKey: .file)
        case .uploading(let id, let state):
            try encode(.uploading, id)
            try values.encodeIfPresent(state, forKey: .upload)
        case .uploaded(let id, let response):
            try encode(.uploaded, id)
            try values.encode(response, forKey: .response)
        case .gone(let id): try encode(.gone, id)
        }
    }
}
