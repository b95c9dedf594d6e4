/// What a `Content-Type` says, as far as showing the content needs it.
struct ContentDescription: Equatable, Sendable {
    /// The media type, in small letters and without parameters; empty where there is none.
    let mediaType: String
    /// The `charset`, in small letters; `nil` where there is none.
    let charset: String?

    init(_ contentType: String?) {
        let parts = (contentType ?? "").split(separator: ";", omittingEmptySubsequences: false)
        mediaType = parts.first.map { Self.trimmed($0).lowercased() } ?? ""
        charset =
            parts.dropFirst().lazy.compactMap { parameter -> String? in
                let pair = parameter.split(separator: "=", maxSplits: 1)
                guard pair.count == 2, Self.trimmed(pair[0]).lowercased() == "charset" else { return nil }
                return Self.trimmed(pair[1]).filter { $0 != "\"" }.lowercased()
            }.first
    }

    /// Whether it may be JSON; many servers call it text.
    var mayBeJSON: Bool {
        mediaType.contains("json") || mediaType.contains("javascript") || mediaType.hasPrefix("text/plain")
            || mediaType.isEmpty
    }

    /// Whether it is a stream of lines that mean something each, which nobody wants to wait for the end of.
    var isStreamOfLines: Bool {
        [
            "text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl",
            "application/json-seq",
        ]
        .contains(mediaType)
    }

    /// Whether the bytes are UTF-8, as far as is known.
    var isUTF8: Bool {
        ["utf-8", "utf8", "us-ascii", "ascii"].contains(charset ?? "utf-8")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
