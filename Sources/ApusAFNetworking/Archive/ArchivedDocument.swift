internal import Apus
internal import ApusCore
internal import Foundation

/// The form of all archives: the name of a format, the version, and a content with its checksum.
enum ArchivedDocument {
    /// The kind of archived value.
    enum Format: String {
        case manager = "apus-session-manager"
        case requestSerializer = "apus-request-serializer"
        case responseSerializer = "apus-response-serializer"
        case securityPolicy = "apus-security-policy"

        /// The value in an error.
        fileprivate var subject: String {
            switch self {
            case .manager: "a session manager"
            case .requestSerializer: "a request serializer"
            case .responseSerializer: "a response serializer"
            case .securityPolicy: "a security policy"
            }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case format
        case version
        case checksum
        case content
    }

    /// Reads the content of an archive.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for another format or version, and for a content that
    ///   does not match its checksum or is not complete.
    static func content<Content: Decodable>(
        _ type: Content.Type = Content.self,
        of format: Format,
        from decoder: any Decoder
    ) throws(ApusError) -> Content {
        do {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard try container.decode(String.self, forKey: .format) == format.rawValue else {
                throw ApusError(.invalidConfiguration, "it is not an archive of \(format.subject)")
            }
            let version = try container.decode(Int.self, forKey: .version)
            guard version == HTTPSessionManager.Archive.version else {
                throw ApusError(
                    .invalidConfiguration,
                    "the archive has version \(version), but this library reads version "
                        + "\(HTTPSessionManager.Archive.version); write a new one"
                )
            }
            let content = try container.decode(String.self, forKey: .content)
            guard try container.decode(String.self, forKey: .checksum) == checksum(of: content) else {
                throw ApusError(
                    .invalidConfiguration,
                    "the archive was changed after it was written: its checksum does not match its content"
                )
            }
            return try JSONDecoder().decode(type, from: Data(content.utf8))
        } catch {
            throw ApusError.wrapping(error) {
                ApusError(.invalidConfiguration, "it is not a complete archive of \(format.subject)", underlying: $0)
            }
        }
    }

    /// Writes an archive with a content.
    static func write(_ content: some Encodable, of format: Format, to encoder: any Encoder) throws {
        let inner = JSONEncoder()
        inner.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try inner.encode(content), as: UTF8.self)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(format.rawValue, forKey: .format)
        try container.encode(HTTPSessionManager.Archive.version, forKey: .version)
        try container.encode(checksum(of: text), forKey: .checksum)
        try container.encode(text, forKey: .content)
    }

    private static func checksum(of text: String) -> String {
        StableHash.fnv1a(text.utf8).padded(to: 16, radix: 16)
    }
}
