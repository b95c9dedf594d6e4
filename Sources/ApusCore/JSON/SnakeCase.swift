internal import Foundation

/// Names with underscores between their words.
enum SnakeCase {
    /// `user_name` as `userName`; underscores at either end stay where they are.
    static func camelCase(of name: String) -> String {
        let start = name.prefix { $0 == "_" }
        let end = name.dropFirst(start.count).reversed().prefix { $0 == "_" }
        let words = name.dropFirst(start.count).dropLast(end.count).split(separator: "_")
        guard words.count > 1 else { return name }
        return start + words[0].lowercased() + words.dropFirst().map(\.capitalized).joined() + String(end)
    }
}
