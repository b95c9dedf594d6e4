internal import Foundation

/// Conversion of names in snake case.
enum SnakeCase {
    /// Converts `user_name` to `userName`. Leading and trailing underscores are kept.
    static func camelCase(of name: String) -> String {
        let start = name.prefix { $0 == "_" }
        let end = name.dropFirst(start.count).reversed().prefix { $0 == "_" }
        let words = name.dropFirst(start.count).dropLast(end.count).split(separator: "_")
        guard words.count > 1 else { return name }
        return start + words[0].lowercased() + words.dropFirst().map(\.capitalized).joined() + String(end)
    }
}
