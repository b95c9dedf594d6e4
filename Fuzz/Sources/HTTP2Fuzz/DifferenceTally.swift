/// Counts differences by their class, and keeps the shortest example of each.
struct DifferenceTally {
    private var counts: [String: Int] = [:]
    private var examples: [String: String] = [:]

    var total: Int { counts.values.reduce(0, +) }

    mutating func add(_ name: String, example: String) {
        counts[name, default: 0] += 1
        if let known = examples[name], known.utf8.count <= example.utf8.count { return }
        examples[name] = example
    }

    /// Returns the classes, the most frequent first, each with its example.
    func lines(_ sentence: (String) -> String?) -> [String] {
        let names = counts.keys.sorted { (left: String, right: String) -> Bool in
            (counts[right] ?? 0, left) < (counts[left] ?? 0, right)
        }
        return names.flatMap { (name: String) -> [String] in
            let title = sentence(name).map { (sentence: String) -> String in "\(name): \(sentence)" } ?? name
            return ["\(padded(counts[name] ?? 0))  \(title)", examples[name] ?? ""]
        }
    }
}

/// A number in eight columns.
func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: " ", count: max(0, 8 - digits.utf8.count)) + digits
}
