import Apus

/// Retries a request that a busy server refuses, with growing delays, at most three times.
func retryWithBackoff(from service: String) async throws {
    var configuration = Session.Configuration()
    configuration.interceptor = RetryPolicy(retryLimit: 3, maximumDelay: .seconds(2))
    let session = Session(configuration: configuration)
    let response = try await session.get("\(service)/status/503")
    print(response.status, "after", response.metrics.exchanges.count, "attempts")
    await session.shutdown(within: .seconds(5))
}
