internal import ApusCore

/// The media types of files by the ends of their names, the same on every platform.
///
/// The table is the library's own, some 900 ends of names; it takes no time before it is first asked.
///
/// ```swift
/// let type = MediaTypes.type(forExtension: "jpg")
/// let end = MediaTypes.preferredExtension(for: "image/png")
/// ```
public enum MediaTypes {
    /// What a file is whose kind is not known.
    public static let unknown = "application/octet-stream"

    /// The media type of files whose names end so.
    ///
    /// - Parameter pathExtension: What stands behind the last dot of a file's name, in any case.
    /// - Returns: The type, without parameters; `application/octet-stream` where it is not known.
    public static func type(forExtension pathExtension: String) -> String {
        types[pathExtension.lowercased()] ?? unknown
    }

    /// What the names of files of a media type end in.
    ///
    /// - Parameter type: The type, in any case; its parameters do not matter.
    /// - Returns: What stands behind the dot, in lower case; `nil` where the type is not known.
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

    /// The table, taken apart.
    static var entries: [(type: String, ends: ArraySlice<Substring>)] {
        table.flatMap { type, subtypes in
            subtypes.description.split(separator: ",").map { entry in
                let words = entry.split(whereSeparator: \.isWhitespace)
                return ("\(type)/\(words[0])", words.dropFirst())
            }
        }
    }
}
