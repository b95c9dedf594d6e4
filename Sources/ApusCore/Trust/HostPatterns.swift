internal import ApusJSON

/// Values for hosts, by exact names and by patterns with a wildcard.
///
/// `*.example.org` stands for names with exactly one label before `example.org`, as in a certificate, and
/// `**.example.org` for names with any number of them. Neither stands for `example.org` itself, or for an IP address.
package struct HostPatterns<Value: Sendable>: Sendable {
    private var exact: [String: Value] = [:]
    /// The values of `*.` patterns, by the rest of the pattern.
    private var oneLabel: [String: Value] = [:]
    /// The values of `**.` patterns, by the rest of the pattern.
    private var anyDepth: [String: Value] = [:]

    /// - Parameter values: The values by host or pattern.
    /// - Throws: `invalidConfiguration` if a pattern is malformed, or if two of them mean the same.
    package init(_ values: [String: Value]) throws(ApusError) {
        // Sorted, so that the same faults always give the same error.
        for (pattern, value) in values.sorted(by: { $0.key < $1.key }) {
            let isUnique: Bool
            if pattern.hasPrefix("**.") {
                let suffix = try Self.suffix(of: pattern, from: 3)
                isUnique = anyDepth.updateValue(value, forKey: suffix) == nil
            } else if pattern.hasPrefix("*.") {
                let suffix = try Self.suffix(of: pattern, from: 2)
                isUnique = oneLabel.updateValue(value, forKey: suffix) == nil
            } else {
                guard let host = NormalizedHost(pattern) else { throw Self.malformed(pattern) }
                isUnique = exact.updateValue(value, forKey: host.text) == nil
            }
            guard isUnique else {
                throw ApusError(.invalidConfiguration, "two patterns mean the same hosts as '\(Excerpt.of(pattern))'")
            }
        }
    }

    private static func suffix(of pattern: String, from count: Int) throws(ApusError) -> String {
        guard let host = NormalizedHost(String(pattern.dropFirst(count))), !host.isAddress else {
            throw malformed(pattern)
        }
        return host.text
    }

    private static func malformed(_ pattern: String) -> ApusError {
        ApusError(
            .invalidConfiguration,
            "\(Excerpt.quoted(pattern)) is no pattern of hosts; write a host, *.example.org for one label, or "
                + "**.example.org for any number of labels"
        )
    }

    /// Returns the value of a host: that of the exact name, otherwise that of the longest pattern.
    package func value(for host: String) -> Value? {
        guard let host = NormalizedHost(host) else { return nil }
        if let value = exact[host.text] { return value }
        guard !host.isAddress, !oneLabel.isEmpty || !anyDepth.isEmpty else { return nil }
        var rest = host.text[...]
        var isFirst = true
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            let suffix = String(rest)
            if isFirst, let value = oneLabel[suffix] { return value }
            if let value = anyDepth[suffix] { return value }
            isFirst = false
        }
        return nil
    }
}
