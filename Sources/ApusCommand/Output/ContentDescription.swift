internal import Apus
internal import Foundation
internal import HTTPTypes

/// The media type and charset that the user set for responses: `--response-mime`, `--response-charset`.
struct ContentOverride: Equatable, Sendable {
    /// The media type, in lower case and without parameters.
    var mediaType: String?
    /// The charset, in lower case.
    var charset: String?

    /// Overrides nothing.
    init() {}

    /// - Parameters:
    ///   - mediaType: The value of `--response-mime`.
    ///   - charset: The value of `--response-charset`.
    /// - Throws: `CommandFault` for an invalid media type or an unknown charset.
    init(mediaType: String?, charset: String?) throws(CommandFault) {
        self.mediaType = mediaType?.lowercased()
        self.charset = charset?.lowercased()
        if let mediaType {
            let halves = mediaType.split(separator: "/", omittingEmptySubsequences: false)
            guard halves.count == 2, halves.allSatisfy({ HTTPField.Name(String($0)) != nil }) else {
                throw CommandFault("--response-mime needs a media type like application/json, not '\(mediaType)'")
            }
        }
        if let charset = self.charset, Charset(label: charset) == nil {
            throw CommandFault("--response-charset needs a charset like utf-8, gbk or windows-1251, not '\(charset)'")
        }
    }
}

/// The parts of a `Content-Type` that determine how to show a body.
struct ContentDescription: Equatable, Sendable {
    /// The media type, in lower case and without parameters. Empty if there is none.
    let mediaType: String
    /// The `charset` in lower case, or `nil` if there is none.
    let charset: String?
    /// The encoding with this label, or `nil` if there is none or it is unknown.
    let encoding: Charset?

    /// - Parameters:
    ///   - contentType: The value of the `Content-Type` field.
    ///   - override: The values that replace it.
    init(_ contentType: String?, override: ContentOverride = ContentOverride()) {
        mediaType = override.mediaType ?? (contentType ?? "").prefix { $0 != ";" }.trimmed.lowercased()
        charset =
            override.charset ?? CharacterSetDecoding.label(ofContentType: contentType)?.lowercased()
        encoding = charset.flatMap { Charset(label: $0) }
    }

    /// A message if the charset can't be decoded, or `nil` if it can or there is none.
    var complaint: String? {
        guard let charset else { return nil }
        if let encoding {
            return encoding.isSupported ? nil : "text in \(encoding.name) can't be decoded on this system"
        }
        return "the charset \(Excerpt.quoted(charset)) of the response is unknown; set another with --response-charset"
    }

    /// Whether the body may be JSON. Many servers send JSON as text.
    var mayBeJSON: Bool {
        mediaType.contains("json") || mediaType.contains("javascript") || mediaType.hasPrefix("text/plain")
            || mediaType.isEmpty
    }

    /// Whether the media type is XML.
    var isXML: Bool { mediaType.contains("xml") }

    /// Whether the body is a stream of independent lines, which are shown without waiting for the end.
    var isStreamOfLines: Bool {
        [
            "text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl",
            "application/json-seq",
        ]
        .contains(mediaType)
    }

    /// Whether every character is more than one byte, as in UTF-16 and UTF-32, so that lines can't be split by bytes.
    var hasWideUnits: Bool { (encoding?.unitBytes ?? 1) > 1 }

    /// Whether the bytes are UTF-8. True without a known charset.
    var isUTF8: Bool { encoding == nil || encoding == .utf8 }
}
