/// Suggests a flag name for a mistyped one.
enum FlagSuggestion {
    /// The maximum length to compare. The cost of a comparison grows with the square of the length.
    private static let longestName = 64

    /// Returns the closest flag name to the typed one, or `nil` if none is close enough.
    static func name(for typed: String) -> String? {
        let typed = Array(typed.lowercased().utf8)
        guard typed.count > 1, typed.count <= longestName else { return nil }
        let names = Flag.sections.flatMap(\.flags).map(\.name)
        let beginnings = names.filter { $0.utf8.starts(with: typed) }
        if beginnings.count == 1 { return beginnings.first }
        let near = names.map { (name: $0, distance: distance(from: typed, to: Array($0.utf8))) }
            .min { $0.distance < $1.distance }
        guard let near, near.distance <= max(1, typed.count / 3) else { return nil }
        return near.name
    }

    /// Returns the number of letters to insert, remove, replace, or swap with their neighbor.
    private static func distance(from left: [UInt8], to right: [UInt8]) -> Int {
        var older: [Int] = []
        var above = Array(0...right.count)
        for row in left.indices {
            var line = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var best = min(above[column + 1] + 1, line[column] + 1, above[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, older[column - 1] + 1)
                }
                line.append(best)
            }
            (older, above) = (above, line)
        }
        return above[right.count]
    }
}
