/// The media types of the commonest file names, both ways.
enum MediaTypes {
    private static let table: [(suffix: String, type: String)] = [
        ("json", "application/json"),
        ("html", "text/html"), ("htm", "text/html"),
        ("txt", "text/plain"),
        ("xml", "application/xml"), ("xml", "text/xml"),
        ("csv", "text/csv"), ("css", "text/css"), ("js", "text/javascript"), ("md", "text/markdown"),
        ("yaml", "application/yaml"), ("yml", "application/yaml"), ("toml", "application/toml"),
        ("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"), ("gif", "image/gif"),
        ("webp", "image/webp"), ("svg", "image/svg+xml"), ("ico", "image/vnd.microsoft.icon"),
        ("mp3", "audio/mpeg"), ("wav", "audio/wav"), ("mp4", "video/mp4"), ("webm", "video/webm"),
        ("pdf", "application/pdf"), ("zip", "application/zip"), ("gz", "application/gzip"),
        ("tar", "application/x-tar"), ("bin", "application/octet-stream"), ("wasm", "application/wasm"),
        ("woff2", "font/woff2"),
    ]

    /// The media type of a file, by the end of its name; `nil` where it is none of the common ones.
    static func type(ofFile name: String) -> String? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = name[name.index(after: dot)...].lowercased()
        return table.first { $0.suffix == suffix }?.type
    }

    /// The end that a file of a media type has; `nil` where it is none of the common ones.
    static func suffix(ofType type: String) -> String? {
        let essence = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard essence != "application/octet-stream" else { return nil }
        return table.first { $0.type == essence }?.suffix
    }
}
