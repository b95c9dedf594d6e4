public import ApusCore
public import Foundation
public import HTTPTypes

/// A download that a ``TransferQueue`` performs: a URL, and the file that its response body is written to.
///
/// The queue keeps all of it on disk until the transfer is removed, also the credentials in its fields and its URL. The
/// files of the queue are readable by their owner only.
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
    }

    /// The maximum length of an identifier in bytes.
    static let longestID = 200

    /// The identifier of the transfer in its queue.
    public let id: TransferID
    /// The kind of the transfer.
    public let kind: Kind
    /// The absolute URL, with its user name and password if it has them.
    public let url: String
    /// The location of the complete file, with an absolute path.
    public let destination: URL
    /// The fields of the request. A response whose content type does not match an `Accept` field is rejected. Default:
    /// none.
    public let fields: HTTPFields
    /// The SHA-256 digest that the file must have, in 64 lowercase hexadecimal digits. `nil` for any file. Default:
    /// `nil`.
    public let sha256: String?
    /// The priority among the waiting transfers of the queue, and among the requests of its session. Default:
    /// `.normal`.
    public let priority: RequestPriority
    /// The maximum number of retries. A failed transfer that is resumed gets all of them again. Default: 5.
    public let retryLimit: Int
    /// Whether an existing file is replaced. If not, the transfer fails, and the file stays. Default: `true`.
    public let replaces: Bool

    /// Creates a download.
    ///
    /// - Parameters:
    ///   - url: The absolute URL. The base URL of a session does not apply.
    ///   - destination: The location of the file. Missing folders are created. Until the file is complete its bytes are
    ///     beside it, in a file whose name ends in `.part`.
    ///   - id: The identifier. A queue ignores a transfer whose identifier it has already. Default: a random one.
    ///   - fields: The fields of the request. The default fields of the session are added. Default: none.
    ///   - sha256: The SHA-256 digest that the file must have, in hexadecimal digits. Default: `nil`, any file.
    ///   - priority: The priority. Default: `.normal`.
    ///   - retryLimit: The maximum number of retries after failures of the network or the server. Default: 5.
    ///   - replaces: Whether an existing file is replaced. If not, the transfer fails. Default: `true`.
    /// - Throws: `ApusError`: `invalidURL`, `invalidField`, `fileUnwritable` if the destination does not name a file,
    ///   `invalidConfiguration` if `sha256` is no digest, or `invalidRequest` if the identifier is empty or has more
    ///   than 200 bytes.
    public init(
        _ url: some URLConvertible,
        to destination: URL,
        id: TransferID = .random(),
        fields: RequestFields = [:],
        sha256: String? = nil,
        priority: RequestPriority = .normal,
        retryLimit: Int = 5,
        replaces: Bool = true
    ) throws(ApusError) {
        guard (1...Self.longestID).contains(id.rawValue.utf8.count) else {
            throw ApusError(
                .invalidRequest,
                "the identifier of a transfer has \(id.rawValue.utf8.count) bytes; use 1 to \(Self.longestID)"
            )
        }
        // Thrown now, and not when the transfer starts.
        if let sha256 { _ = try ExpectedDigest.sha256(sha256) }
        self.id = id
        self.kind = .download
        self.url = try Self.text(of: url)
        self.destination = Self.file(at: try Self.path(of: destination))
        self.fields = try fields.checked()
        self.sha256 = sha256?.lowercased()
        self.priority = priority
        self.retryLimit = max(0, retryLimit)
        self.replaces = replaces
    }

    /// Returns the absolute URL, with its user name and password.
    private static func text(of url: some URLConvertible) throws(ApusError) -> String {
        let target: TargetURI
        do {
            target = try url.asTarget()
        } catch {
            throw ApusError(wrapping: error, as: .invalidURL)
        }
        guard let information = target.userInformation else { return target.uri }
        let user = PercentEncoding.encode(information.user)
        let password = PercentEncoding.encode(information.password)
        return "\(target.origin.scheme.rawValue)://\(user):\(password)@\(target.authority)\(target.path)"
    }

    private static func path(of destination: URL) throws(ApusError) -> String {
        let path = destination.absoluteURL.path(percentEncoded: false)
        guard destination.isFileURL, isAbsoluteFile(path) else {
            throw ApusError(
                .fileUnwritable,
                "'\(Redaction.url(destination.absoluteString))' does not name a file"
            )
            .with(file: destination)
        }
        return path
    }

    private static func isAbsoluteFile(_ path: String) -> Bool {
        let slash = UInt8(ascii: "/")
        return path.utf8.first == slash && path.utf8.last != slash && !path.utf8.contains(0)
    }

    private static func file(at path: String) -> URL { URL(filePath: path, directoryHint: .notDirectory) }
}

extension Transfer: Codable {
    private enum Key: String, CodingKey {
        case id, kind, url, path, fields, sha256, priority, retryLimit, replaces
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
        sha256 = try values.decodeIfPresent(String.self, forKey: .sha256)
        priority = RequestPriority(rawValue: try values.decodeIfPresent(Int.self, forKey: .priority) ?? 0)
        retryLimit = max(0, try values.decodeIfPresent(Int.self, forKey: .retryLimit) ?? 0)
        replaces = try values.decodeIfPresent(Bool.self, forKey: .replaces) ?? true
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(id, forKey: .id)
        try values.encode(kind, forKey: .kind)
        try values.encode(url, forKey: .url)
        try values.encode(destination.path(percentEncoded: false), forKey: .path)
        if !fields.isEmpty { try values.encode(fields.map { [$0.name.rawName, $0.value] }, forKey: .fields) }
        try values.encodeIfPresent(sha256, forKey: .sha256)
        if priority != .normal { try values.encode(priority.rawValue, forKey: .priority) }
        try values.encode(retryLimit, forKey: .retryLimit)
        if !replaces { try values.encode(false, forKey: .replaces) }
    }
}

extension Transfer: CustomStringConvertible, CustomReflectable {
    /// The identifier, the URL and the path, without secrets.
    public var description: String {
        "\(id): \(Redaction.url(url)) to \(destination.path(percentEncoded: false))"
    }

    // Reflection would print the fields.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
