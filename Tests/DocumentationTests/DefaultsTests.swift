internal import Apus
internal import Testing

/// The table of defaults in ARCHITECTURE.md matches the configuration.
@Suite struct DefaultsTests {
    @Test func listsEveryDefault() throws {
        let configuration = Session.Configuration()
        var expected = [
            "requestsInFlight": "\(configuration.requestsInFlight)",
            "redirects.limit": "\(configuration.redirects.limit)",
        ]
        for (name, value) in properties(of: configuration.timeouts) { expected["timeouts.\(name)"] = value }
        for (name, value) in properties(of: configuration.pool) { expected["pool.\(name)"] = value }
        let keepAlive = try #require(configuration.tcpKeepAlive)
        for (name, value) in properties(of: keepAlive) { expected["tcpKeepAlive.\(name)"] = value }
        for (name, value) in properties(of: configuration.http2) { expected["http2.\(name)"] = value }
        for (name, value) in properties(of: configuration.limits) { expected["limits.\(name)"] = value }
        for (name, value) in properties(of: configuration.transferRate) { expected["transferRate.\(name)"] = value }
        #expect(try table() == expected)
    }

    /// Returns the first two columns of the rows below the heading that begin with a name in backticks.
    private func table() throws -> [String: String] {
        let section = try Repository.text("ARCHITECTURE.md").lines
            .drop { $0 != "## Defaults and limits" }
            .dropFirst()
            .prefix { !$0.hasPrefix("## ") }
        var rows: [String: String] = [:]
        for line in section where line.hasPrefix("| `") {
            let columns = line.split(separator: "|").map { String($0).withSingleSpaces }
            rows[columns[0].replacing("`", with: "")] = columns[1]
        }
        return rows
    }

    private func properties(of value: Any) -> [(String, String)] {
        Mirror(reflecting: value).children.compactMap { child in
            child.label.map { ($0, spoken(child.value, of: $0)) }
        }
    }

    private func spoken(_ value: Any, of name: String) -> String {
        switch value {
        case let duration as Duration: "\(duration.components.seconds) s"
        case let duration as Duration?: duration.map { "\($0.components.seconds) s" } ?? "none"
        case let count as Int?: count.map { name.hasSuffix("Bytes") ? bytes($0) : "\($0)" } ?? "none"
        default: "\(value)"
        }
    }

    private func bytes(_ count: Int) -> String {
        switch count {
        case (1 << 20)...: "\(count >> 20) MiB"
        case (1 << 10)...: "\(count >> 10) KiB"
        default: "\(count)"
        }
    }
}
