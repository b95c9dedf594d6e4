internal import ApusCore

/// The media types of files by file extension, the same on every platform.
///
/// The table of about 900 extensions is part of the library. It is parsed at its first use.
///
/// ```swift
/// let type = MediaTypes.type(forExtension: "jpg")
/// let end = MediaTypes.preferredExtension(for: "image/png")
/// ```
public enum MediaTypes {
    /// The type for unknown extensions.
    public static let unknown = "application/octet-stream"

    /// Returns the media type for a file extension.
    ///
    /// - Parameter pathExtension: The part of a file name after the last dot, in any case.
    /// - Returns: The media type without parameters, or `application/octet-stream` if the extension is unknown.
    public static func type(forExtension pathExtension: String) -> String {
        types[pathExtension.lowercased()] ?? unknown
    }

    /// Returns the preferred file extension for a media type.
    ///
    /// - Parameter type: The media type, in any case. Its parameters are ignored.
    /// - Returns: The extension without its dot, in lower case, or `nil` if the type is unknown.
    public static func preferredExtension(for type: String) -> String? {
        preferredExtensions[type.prefix { $0 != ";" }.trimmed.lowercased()]
    }

    private static let types = Dictionary(
        entries.flatMap { type, ends in ends.filter { $0.first != "=" }.map { (String($0), type) } },
        uniquingKeysWith: { first, _ in first }
    )

    private static let preferredExtensions = Dictionary(
        entries.map { type, ends in (type, String((ends.first ?? "").drop { $0 == "=" })) },
        uniquingKeysWith: { first, _ in first }
    )

    /// The parsed entries of the table.
    static var entries: [(type: String, ends: ArraySlice<Substring>)] {
        table.flatMap { type, subtypes in
            subtypes.description.split(separator: ",").map { entry in
                let words = entry.split(whereSeparator: \.isWhitespace)
                return ("\(type)/\(words[0])", words.dropFirst())
            }
        }
    }
}
