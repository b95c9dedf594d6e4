internal import Apus
internal import Foundation
internal import HTTPTypes

/// What the user says of the content of answers, in place of what these say: `--response-mime`, `--response-charset`.
struct ContentOverride: Equatable, Sendable {
    /// The media type, in small letters and without parameters.
    var mediaType: String?
    /// The charset, in small letters.
    var charset: String?

    /// Nothing is said.
    init() {}

    /// - Parameters:
    ///   - mediaType: What `--response-mime` gave.
    ///   - charset: What `--response-charset` gave.
    /// - Throws: `CommandFault` for what is no media type, and a charset that is not known here.
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

/// What a `Content-Type` says, as far as showing the content needs it.
struct ContentDescription: Equatable, Sendable {
    /// The media type, in small letters and without parameters; empty where there is none.
    let mediaType: String
    /// The `charset`, in small letters; `nil` where there is none.
    let charset: String?
    /// The encoding that this is the label of; `nil` if there is none, or it is not known.
    let encoding: Charset?

    /// - Parameters:
    ///   - contentType: What the message says.
    ///   - override: What the user says instead.
    init(_ contentType: String?, override: ContentOverride = ContentOverride()) {
        mediaType = override.mediaType ?? (contentType ?? "").prefix { $0 != ";" }.trimmed.lowercased()
        charset =
            override.charset ?? CharacterSetDecoding.label(ofContentType: contentType)?.lowercased()
        encoding = charset.flatMap { Charset(label: $0) }
    }

    /// A sentence about a charset that can't be decoded; `nil` if it can, or there is none.
    var complaint: String? {
        guard let charset else { return nil }
        if let encoding {
            return encoding.isSupported ? nil : "text in \(encoding.name) can't be decoded on this system"
        }
        return "the charset \(Excerpt.quoted(charset)) of the answer is not known; --response-charset says another"
    }

    /// Whether it may be JSON; many servers call it text.
    var mayBeJSON: Bool {
        mediaType.contains("json") || mediaType.contains("javascript") || mediaType.hasPrefix("text/plain")
            || mediaType.isEmpty
    }

    /// Whether it is XML, for what its name says.
    var isXML: Bool { mediaType.contains("xml") }

    /// Whether it is a stream of lines that mean something each, which nobody wants to wait for the end of.
    var isStreamOfLines: Bool {
        [
            "text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl",
            "application/json-seq",
        ]
        .contains(mediaType)
    }

    /// Whether a character is more than one byte in any case, as in UTF-16 and UTF-32: no byte of them is a line feed.
    var hasWideUnits: Bool { (encoding?.unitBytes ?? 1) > 1 }

    /// Whether the bytes are UTF-8, as far as is known.
    var isUTF8: Bool { encoding == nil || encoding == .utf8 }
}
