internal import Apus
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusMetrics

@Suite struct MetricShelfTests {
    private final class Made: Sendable {
        let key: MetricKey
        init(_ key: MetricKey) { self.key = key }
    }

    @Test func makesEachOnce() {
        let shelf = MetricShelf { Made($0) }
        let key = MetricKey(host: "h", method: .get)
        #expect(shelf[key] === shelf[key])
        #expect(shelf[key] !== shelf[MetricKey(host: "h", method: .put)])
    }

    @Test func doesNotTellHostsApartBeyondItsLimit() {
        let shelf = MetricShelf(limit: 2) { Made($0) }
        let known = [shelf[MetricKey(host: "a")], shelf[MetricKey(host: "b")]]
        let late = shelf[MetricKey(host: "c", method: .get)]
        #expect(late.key.host == "other" && late.key.method == "GET")
        #expect(shelf[MetricKey(host: "d", method: .get)] === late)
        #expect(shelf[MetricKey(host: "a")] === known[0] && shelf[MetricKey(host: "b")] === known[1])
    }

    @Test(arguments: [(100, "1xx"), (204, "2xx"), (308, "3xx"), (404, "4xx"), (599, "5xx"), (999, "9xx")])
    func knowsTheClassOfAStatus(code: Int, name: String) {
        let key = MetricKey(host: "h", method: .get).with(status: .init(code: code), error: "")
        #expect(key.exchange.map(\.1) == ["h", "GET", name, ""])
    }

    @Test func knowsTheMethodsThatOpenTelemetryKnows() throws {
        for name in ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"] {
            #expect(MetricKey(host: "h", method: try #require(.init(name))).method == name)
        }
    }
}
