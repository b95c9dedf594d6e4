internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct ExchangeMetricsTests {
    private func metrics() throws -> ExchangeMetrics {
        let begin = MonotonicInstant(nanoseconds: 1)
        return ExchangeMetrics(method: .get, target: try TargetURI("http://h/a"), cause: .first, begin: begin)
    }

    @Test func keepsTheNumberOfItsStream() throws {
        var metrics = try metrics()
        #expect(metrics.streamNumber == nil)
        for number in [1, 5, Int(Int32.max)] {
            metrics.streamNumber = number
            #expect(metrics.streamNumber == number)
        }
        // No stream has such a number.
        metrics.streamNumber = Int.max
        #expect(metrics.streamNumber == nil)
        metrics.streamNumber = 3
        metrics.streamNumber = nil
        #expect(metrics.streamNumber == nil)
    }

    @Test func describesItsConnectionAndItsStream() throws {
        var metrics = try metrics()
        #expect(metrics.description == "GET http://h/a: no response, 0 bytes")
        metrics.connectionNumber = 3
        #expect(metrics.description.hasSuffix(", 0 bytes, connection 3"))
        metrics.streamNumber = 5
        #expect(metrics.description.hasSuffix(", 0 bytes, connection 3, stream 5"))
        metrics.isReused = true
        metrics.remoteAddress = "192.0.2.1:443"
        #expect(metrics.description.hasSuffix(", connection 3 (reused), stream 5 to 192.0.2.1:443"))
    }
}
