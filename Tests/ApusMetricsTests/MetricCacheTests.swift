internal import Apus
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusMetrics

@Suite struct MetricCacheTests {
    private final class CachedMetric: Sendable {
        let key: MetricKey
        init(_ key: MetricKey) { self.key = key }
    }

    @Test func createsEachMetricOnce() {
        let cache = MetricCache { CachedMetric($0) }
        let key = MetricKey(host: "h", method: .get)
        #expect(cache[key] === cache[key])
        #expect(cache[key] !== cache[MetricKey(host: "h", method: .put)])
    }

    @Test func groupsHostsBeyondItsLimit() {
        let cache = MetricCache(limit: 2) { CachedMetric($0) }
        let known = [cache[MetricKey(host: "a")], cache[MetricKey(host: "b")]]
        let late = cache[MetricKey(host: "c", method: .get)]
        #expect(late.key.host == "other" && late.key.method == "GET")
        #expect(cache[MetricKey(host: "d", method: .get)] === late)
        #expect(cache[MetricKey(host: "a")] === known[0] && cache[MetricKey(host: "b")] === known[1])
    }

    @Test(arguments: [(100, "1xx"), (204, "2xx"), (308, "3xx"), (404, "4xx"), (599, "5xx"), (999, "9xx")])
    func mapsAStatusToItsClass(code: Int, name: String) {
        let key = MetricKey(host: "h", method: .get).with(status: .init(code: code), error: "")
        #expect(key.exchange.map(\.1) == ["h", "GET", name, ""])
    }

    @Test func recognizesTheMethodsOfOpenTelemetry() throws {
        for name in ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"] {
            #expect(MetricKey(host: "h", method: try #require(.init(name))).method == name)
        }
    }
}
