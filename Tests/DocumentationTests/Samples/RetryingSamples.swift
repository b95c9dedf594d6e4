internal import Apus
internal import Foundation

/// The samples of Retrying.md.
enum RetryingSamples {
    private struct Report: Decodable {}

    static func policy() {
        var configuration = Session.Configuration()
        configuration.interceptor = RetryPolicy(retryLimit: 3)
        let session = Session(configuration: configuration)
        _ = session
    }

    static func policyOfTheComment() {
        var configuration = Session.Configuration()
        configuration.interceptor = RetryPolicy(retryLimit: 3, maximumDelay: .seconds(10))
        _ = configuration
    }

    static func adapters(_ session: Session) {
        let versioned = Adapter.synchronous { request, context in
            request.fields[.userAgent] = "Example/1.0"
        }
        session.request("https://api.example.org/users/1")
            .adapt(using: versioned)
            .responseString { response in print(response.result) }
    }

    private struct Vault: Sendable {
        func token() async throws -> String { "token" }
    }

    private static func waitingAdapter(_ vault: Vault) {
        let signed = Adapter { request, context in
            var request = request
            request.fields[.authorization] = "Bearer \(try await vault.token())"
            return request
        }
        _ = signed
    }

    struct Versioned: SynchronousAdapter {
        func adaptNow(_ request: inout RequestMessage, context: RequestContext) throws -> Bool {
            request.fields[.userAgent] = "Example/1.0"
            return true
        }
    }

    struct UntilReady: SynchronousRetrier {
        func decision(_ attempt: RequestAttempt, dueTo error: ApusError?) -> RetryResult? {
            let isPending = attempt.data == Data("pending".utf8)
            return isPending && attempt.retryCount < 5 ? .retryWithDelay(.seconds(1)) : .doNotRetry
        }
    }

    static func idempotencyKeys() {
        var configuration = Session.Configuration()
        configuration.middleware = [IdempotencyKeyMiddleware()]
        configuration.interceptor = RetryPolicy()
        _ = configuration
    }

    static func retriers(_ session: Session) async throws {
        let patient = Retrier { attempt, error in
            guard error.code == .poolTimeout, attempt.retryCount < 5 else { return .doNotRetry }
            return .retryWithDelay(.seconds(1))
        }
        let response = try await session.get(
            "https://api.example.org/users/1",
            options: [Interceptor(retriers: [patient])]
        )
        _ = response
    }

    static func successes(_ session: Session) async throws {
        let untilDone = Retrier(reconsidering: { attempt in
            guard attempt.response?.status == .accepted, attempt.retryCount < 30 else { return .doNotRetry }
            return .retryWithDelay(.seconds(2))
        })
        let report = try await session.request("https://api.example.org/reports/7")
            .retry(using: untilDone)
            .serializingJSON().value
        _ = report
    }

    static func count(_ session: Session) async throws {
        let request = session.request("https://api.example.org/users/1")
        let user = try await request.serializingDecodable(User.self).value
        print(user.name, request.retryCount)

        let response = try await session.get("https://api.example.org/users/1")
        let retries = response.metrics.exchanges.filter { $0.cause == .retry }
        print(retries.count)
    }

    static func closure() {
        let untilReady = Retrier(reconsidering: { attempt in
            attempt.response?.status == .accepted ? .retryWithDelay(.seconds(1)) : .doNotRetry
        })
        _ = untilReady
    }

    static func composite(_ session: Session) async throws {
        let patient = Interceptor(retriers: [RetryPolicy(retryLimit: 5)])
        let response = try await session.get("https://example.org/", options: [patient])
        _ = response
    }
}

/// The sample of `Adapter`.
enum PromptAdapterSample {
    static func adapter() {
        let versioned = Adapter.synchronous { request, context in
            request.fields[.userAgent] = "Example/1.0"
        }
        _ = versioned
    }
}

/// The sample of `RequestAdapter`.
enum AdapterSample {
    enum Vault {
        static func token() async throws -> String { "token" }
    }

    struct Signature: RequestAdapter {
        func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
            var request = request
            request.fields[.authorization] = "Bearer \(try await Vault.token())"
            return request
        }
    }
}
