public import ApusCore
public import Foundation
public import HTTPTypes

/// A download or an upload that a ``TransferQueue`` performs: a URL, and a file.
///
/// ```swift
/// let photo = try Transfer(uploading: file, to: "https://api.example.org/photos/7")
/// try await queue.add(photo)
/// ```
///
/// A download writes the response body to the file, and an upload sends the file as the request body. The queue keeps
/// all of the transfer on disk until it is removed, also the credentials in its fields and its URL. The files of the
/// queue are readable by their owner only.
public struct Transfer: Sendable, Hashable {
    /// The kind of a transfer.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
        /// The name in the files of the queue.
        public let rawValue: String

        /// Creates a kind from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A GET request whose response body is written to a file.
        public static let download = Kind(rawValue: "download")
        /// A request whose body is a file.
        public static let upload = Kind(rawValue: "upload")
    }

    /// The maximum length of an identifier in bytes.
    static let longestID = 200

    /// The identifier of the transfer in its queue.
    public let id: TransferID
    /// The kind of the transfer.
    public let kind: Kind
    /// The absolute URL, with its user name and password if it has them.
    public let url: String
    /// The location of the complete file of a download, or the file that an upload sends. Its path is absolute.
    public let destination: URL
    /// The fields of the request. A response to a download whose content type does not match an `Accept` field is
    /// rejected. Default: none.
    public let fields: HTTPFields
    /// The digest that the file must have. `nil` for any file. Default: `nil`.
    public let expectedDigest: ExpectedDigest?
    /// The segments in which a download fetches its file at the same time. `nil` for one after the other. Default:
    /// `nil`.
    public let segments: DownloadSegments?
    /// The servers that the transfer trusts. `nil` for those that the session trusts. Default: `nil`.
    public let trust: TransferTrust?
    /// The priority among the waiting transfers of the queue, and among the requests of its session. Default:
    /// `.normal`.
    public let priority: RequestPriority
    /// The maximum number of retries. A failed transfer that is resumed gets all of them again. Default: 5.
    public let retryLimit: Int
    /// Whether a download replaces an existing file. If not, it fails, and the file stays. Default: `true`.
    public let replaces: Bool
    /// The properties of an upload. `nil` for a download.
    public let upload: Upload?

    /// Creates a download.
    ///
    /// - Parameters:
    ///   - url: The absolute URL. The base URL of a session does not apply.
    ///   - destination: The location of the file. Missing folders are created. Until the file is complete its bytes are
    ///     beside it, in a file whose name ends in `.part`.
    ///   - id: The identifier. A queue ignores a transfer whose identifier it has already. Default: a random one.
    ///   - fields: The fields of the request. The default fields of the session are added. Default: none.
    ///   - expectedDigest: The digest that the file must have. Default: `nil`, any file.
    ///   - segments: The segments in which the file is fetched at the same time. Default: `nil`, only one.
    ///   - trust: The servers that the transfer trusts, for an https URL. Default: `nil`, those of the session.
    ///   - priority: The priority. Default: `.normal`.
    ///   - retryLimit: The maximum number of retries after failures of the network or the server. Default: 5.
    ///   - replaces: Whether an existing file is replaced. If not, the transfer fails. Default: `true`.
    /// - Throws: `ApusError`: `invalidURL`, `invalidField`, `fileUnwritable` if the destination does not name a file,
    ///   `invalidConfiguration` if there is a trust for another URL than an https one, or `invalidRequest` if the
    ///   identifier is empty or has more than 200 bytes.
    public init(
        _ url: some URLConvertible,
        to destination: URL,
        id: TransferID = .random(),
        fields: RequestFields = [:],
        expectedDigest: ExpectedDigest? = nil,
        segments: DownloadSegments? = nil,
        trust: TransferTrust? = nil,
        priority: RequestPriority = .normal,
        retryLimit: Int = 5,
        replaces: Bool = true
    ) throws(ApusError) {
        try Self.check(id)
        self.id = id
        self.kind = .download
        self.url = try Self.text(of: url, trust)
        self.destination = Self.file(at: try Self.path(of: destination, or: .fileUnwritable))
        self.fields = try fields.checked()
        self.expectedDigest = expectedDigest
        self.segments = segments
        self.trust = trust
        self.priority = priority
        self.retryLimit = max(0, retryLimit)
        self.replaces = replaces
        self.upload = nil
    }

    /// Throws if an identifier is empty or too long.
    static func check(_ id: TransferID) throws(ApusError) {
        guard !(1...longestID).contains(id.rawValue.utf8.count) else { return }
        throw ApusError(
            .invalidRequest,
            "the identifier of a transfer has \(id.rawValue.utf8.count) bytes; use 1 to \(longestID)"
        )
    }

    /// Returns the absolute URL, with its user name and password. Throws for a trust that a request would not use.
    static func text(of url: some URLConvertible, _ trust: TransferTrust?) throws(ApusError) -> String {
        let target: TargetURI
        do {
            target = try url.asTarget()
        } catch {
            throw ApusError(wrapping: error, as: .invalidURL)
        }
        guard trust == nil || target.origin.scheme == .https else {
            throw ApusError(
                .invalidConfiguration,
                "the trust of a transfer has no use for \(target.origin); use https, or leave it out"
            )
        }
        return target.userInformation.map { text(of: target, with: $0) } ?? target.uri
    }

    /// Returns a URL with a user name and a password.
    static func text(of target: TargetURI, with information: TargetURI.UserInformation) -> String {
        let user = PercentEncoding.encode(information.user)
        let password = PercentEncoding.encode(information.password)
        return "\(target.origin.scheme.rawValue)://\(user):\(password)@\(target.authority)\(target.path)"
    }

    /// Returns the absolute path of a file. `code`: the code of the error if the URL names none.
    static func path(of file: URL, or code: ApusError.Code) throws(ApusError) -> String {
        let path = file.absoluteURL.path(percentEncoded: false)
        guard file.isFileURL, isAbsoluteFile(path) else {
            throw ApusError(code, "'\(Redaction.url(file.absoluteString))' does not name a file").with(file: file)
        }
        return path
    }

    private static func isAbsoluteFile(_ path: String) -> Bool {
        let slash = UInt8(ascii: "/")
        return path.utf8.first == slash && path.utf8.last != slash && !path.utf8.contains(0)
    }

    static func file(at path: String) -> URL { URL(filePath: path, directoryHint: .notDirectory) }
}

extension Transfer: Codable {
    private enum Key: String, CodingKey {
        case id, kind, url, path, fields, sha256, sha512, segments, trust, priority, retryLimit, replaces, upload
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let path = try values.decode(String.self, forKey: .path)
        guard Self.isAbsoluteFile(path) else {
            throw DecodingError.dataCorruptedError(forKey: .path, in: values, debugDescription: "no absolute path")
        }
        var fields = HTTPFields()
        for pair in try values.decodeIfPresent([[String]].self, forKey: .fields) ?? [] {
            guard pair.count == 2 else {
                throw DecodingError.dataCorruptedError(forKey: .fields, in: values, debugDescription: "no field")
            }
            try fields.append(checking: pair[0], pair[1])
        }
        id = try values.decode(TransferID.self, forKey: .id)
        kind = try values.decode(Kind.self, forKey: .kind)
        url = try values.decode(String.self, forKey: .url)
        destination = Self.file(at: path)
        self.fields = fields
        if let digits = try values.decodeIfPresent(String.self, forKey: .sha256) {
            expectedDigest = try ExpectedDigest.sha256(digits)
        } else if let digits = try values.decodeIfPresent(String.self, forKey: .sha512) {
            expectedDigest = try ExpectedDigest.sha512(digits)
        } else {
            expectedDigest = nil
        }
        segments = try values.decodeIfPresent([Int].self, forKey: .segments).map { numbers in
            guard numbers.count == 2 else {
                throw DecodingError.dataCorruptedError(forKey: .segments, in: values, debugDescription: "no segments")
            }
            return DownloadSegments(numbers[0], minimumBytes: numbers[1])
        }
        // A transfer must not lose its trust, so a damaged one fails it.
        trust =
            values.contains(.trust) ? (try? values.decode(TransferTrust.self, forKey: .trust)) ?? .damaged : nil
        priority = RequestPriority(rawValue: try values.decodeIfPresent(Int.self, forKey: .priority) ?? 0)
        retryLimit = max(0, try values.decodeIfPresent(Int.self, forKey: .retryLimit) ?? 0)
        replaces = try values.decodeIfPresent(Bool.self, forKey: .replaces) ?? true
        upload = try kind == .upload ? values.decode(Upload.self, forKey: .upload) : nil
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(id, forKey: .id)
        try values.encode(kind, forKey: .kind)
        try values.encode(url, forKey: .url)
        try values.encode(destination.path(percentEncoded: false), forKey: .path)
        if !fields.isEmpty { try values.encode(fields.map { [$0.name.rawName, $0.value] }, forKey: .fields) }
        if let digest = expectedDigest?.digest {
            try values.encode(digest.hexadecimal, forKey: digest.algorithm == .sha256 ? .sha256 : .sha512)
        }
        if let segments { try values.encode([segments.count, segments.minimumBytes], forKey: .segments) }
        try values.encodeIfPresent(trust, forKey: .trust)
        if priority != .normal { try values.encode(priority.rawValue, forKey: .priority) }
        try values.encode(retryLimit, forKey: .retryLimit)
        if !replaces { try values.encode(false, forKey: .replaces) }
        try values.encodeIfPresent(upload, forKey: .upload)
    }
}

extension Transfer: CustomStringConvertible, CustomReflectable {
    /// The identifier, the URL and the path, without secrets.
    public var description: String {
        let (url, path) = (Redaction.url(url), destination.path(percentEncoded: false))
        return upload == nil ? "\(id): \(url) to \(path)" : "\(id): \(path) to \(url)"
    }

    // Reflection would print the fields.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
