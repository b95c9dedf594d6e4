public import ApusCore
public import Foundation
public import HTTPTypes

extension Transfer {
    /// The properties of an upload: its request, and the file as it was when the transfer was created.
    public struct Upload: Sendable, Hashable {
        /// The method of the request: POST, PUT or PATCH.
        public let method: HTTPRequest.Method
        /// The version of the draft of resumable uploads. `nil` for a plain upload. Default: `nil`.
        public let resumption: ResumableUpload.InteropVersion?
        /// The rule for an upload that the server may have received, and that can't be continued. Default:
        /// `.ifIdempotent`.
        public let beginsAnew: ResumableUpload.Policy.Beginning
        /// The size of the file in bytes when the transfer was created.
        public let byteCount: Int64
        let modificationSeconds: Int64
        let modificationNanoseconds: Int64
    }

    /// Creates an upload of a file. Reads the size and the modification time of the file, which blocks.
    ///
    /// A resumable upload is continued where the server has it, also after a kill. A plain one begins anew. If it can't
    /// be continued and the server may have received it, it begins anew only as `beginsAnew` allows. Otherwise it
    /// fails, and `resume(_:)` of the queue sends it again.
    ///
    /// - Parameters:
    ///   - file: The file. The transfer fails with `fileChanged` if its size or its modification time is another one
    ///     when the transfer starts, or until its last byte is read.
    ///   - url: The absolute URL. The base URL of a session does not apply.
    ///   - method: The method: POST, PUT or PATCH. Default: PUT.
    ///   - id: The identifier. A queue ignores a transfer whose identifier it has already. Default: a random one.
    ///   - fields: The fields of the request. The default fields of the session are added, and no `Content-Type`.
    ///     Default: none.
    ///   - resumption: The version of the draft that the server speaks, for a ``ResumableUpload``. Default: `nil`, a
    ///     plain upload.
    ///   - beginsAnew: The rule for an upload that the server may have received. A method is idempotent if it is PUT,
    ///     and a request with the field `Idempotency-Key` is too. Default: `.ifIdempotent`.
    ///   - trust: The servers that the transfer trusts, for an https URL. Default: `nil`, those of the session.
    ///   - priority: The priority. Default: `.normal`.
    ///   - retryLimit: The maximum number of retries after failures of the network or the server. Default: 5.
    /// - Throws: `ApusError`: `invalidURL`, `invalidField`, `fileUnreadable` if the file can't be read,
    ///   `invalidConfiguration` if there is a trust for another URL than an https one, or `invalidRequest` for another
    ///   method, and if the identifier is empty or has more than 200 bytes.
    public init(
        uploading file: URL,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .put,
        id: TransferID = .random(),
        fields: RequestFields = [:],
        resumption: ResumableUpload.InteropVersion? = nil,
        beginsAnew: ResumableUpload.Policy.Beginning = .ifIdempotent,
        trust: TransferTrust? = nil,
        priority: RequestPriority = .normal,
        retryLimit: Int = 5
    ) throws(ApusError) {
        try Self.check(id)
        guard [.post, .put, .patch].contains(method) else {
            throw ApusError(.invalidRequest, "an upload has the method \(method.rawValue); use POST, PUT or PATCH")
        }
        let file = Self.file(at: try Self.path(of: file, or: .fileUnreadable))
        guard let facts = ResumableUpload.State.file(of: try RequestBody.file(file)) else {
            throw ApusError(.fileUnreadable, "'\(file.path(percentEncoded: false))' has no size").with(file: file)
        }
        self.id = id
        self.kind = .upload
        self.url = try Self.text(of: url, trust)
        self.destination = file
        self.fields = try fields.checked()
        self.expectedDigest = nil
        self.segments = nil
        self.trust = trust
        self.priority = priority
        self.retryLimit = max(0, retryLimit)
        self.replaces = true
        self.upload = Upload(
            method: method,
            resumption: resumption,
            beginsAnew: beginsAnew,
            byteCount: facts.size,
            modificationSeconds: facts.modificationSeconds,
            modificationNanoseconds: facts.modificationNanoseconds
        )
    }

    /// Whether the request may be sent again although the server may have received it.
    var mayBeginAnew: Bool {
        guard let upload else { return true }
        return switch upload.beginsAnew {
        case .ifUnsent: false
        case .ifIdempotent: upload.method.isIdempotent || fields.contains(.idempotencyKey)
        case .always: true
        }
    }
}

extension Transfer.Upload {
    /// Returns the body of the upload.
    ///
    /// - Parameter file: The file.
    /// - Returns: The body, which is not completed if the file changes.
    /// - Throws: `ApusError`: `fileUnreadable`, or `fileChanged` if it has changed since the transfer was created.
    func body(of file: URL) throws(ApusError) -> RequestBody {
        let body = try RequestBody.file(file)
        guard let facts = ResumableUpload.State.file(of: body), facts.size == byteCount,
            facts.modificationSeconds == modificationSeconds, facts.modificationNanoseconds == modificationNanoseconds
        else {
            let path = file.path(percentEncoded: false)
            throw ApusError(.fileChanged, "'\(path)' has changed since the transfer was created").with(file: file)
        }
        return body.watched
    }
}

extension Transfer.Upload: Codable {
    private enum Key: String, CodingKey {
        case method, resumption, beginsAnew, size, modified
    }

    /// The names of the rules in the files of the queue.
    private static let rules: [(name: String, rule: ResumableUpload.Policy.Beginning)] = [
        ("ifUnsent", .ifUnsent), ("ifIdempotent", .ifIdempotent), ("always", .always),
    ]

    /// Reads the properties of an upload.
    ///
    /// - Throws: A `DecodingError` if they are not whole.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let name = try values.decode(String.self, forKey: .beginsAnew)
        let modified = try values.decode([Int64].self, forKey: .modified)
        guard let method = HTTPRequest.Method(rawValue: try values.decode(String.self, forKey: .method)),
            let rule = Self.rules.first(where: { $0.name == name })?.rule, modified.count == 2
        else {
            throw DecodingError.dataCorruptedError(forKey: .method, in: values, debugDescription: "no upload")
        }
        self.method = method
        resumption = try values.decodeIfPresent(ResumableUpload.InteropVersion.self, forKey: .resumption)
        beginsAnew = rule
        byteCount = try values.decode(Int64.self, forKey: .size)
        modificationSeconds = modified[0]
        modificationNanoseconds = modified[1]
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(method.rawValue, forKey: .method)
        try values.encodeIfPresent(resumption, forKey: .resumption)
        try values.encodeIfPresent(Self.rules.first { $0.rule == beginsAnew }?.name, forKey: .beginsAnew)
        try values.encode(byteCount, forKey: .size)
        try values.encode([modificationSeconds, modificationNanoseconds], forKey: .modified)
    }
}
