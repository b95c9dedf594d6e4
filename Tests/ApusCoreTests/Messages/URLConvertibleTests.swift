internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct URLConvertibleTests {
    private static let url = "http://h/a%20b?c=d"

    /// Parity: AF-url-convertible
    @Test func supportsStringsURLsComponentsAndTargets() throws {
        let url = try #require(URL(string: Self.url))
        let components = try #require(URLComponents(string: Self.url))
        let all: [any URLConvertible] = [Self.url, url, components, try TargetURI(Self.url)]
        for one in all {
            #expect(try one.asURL() == url)
            #expect(try one.asTarget().uri == Self.url)
        }
    }

    /// Components whose path has no leading slash. Foundation returns no URL for them.
    private static let malformed: URLComponents = {
        var components = URLComponents()
        (components.scheme, components.host, components.path) = ("http", "h", "no-slash")
        return components
    }()

    static let invalid: [any URLConvertible] = ["", "no URL", "/path", "http://", malformed]

    /// Parity: AF-url-convertible, AF-error-url
    @Test(arguments: invalid.indices) func failsForInvalidURLs(index: Int) async throws {
        let test = TestSession()
        let url = Self.invalid[index]
        #expect(await failure { try await test.session.get(url) }?.code == .invalidURL)
        #expect(await test.session.request(url).serializingData().response.error?.code == .invalidURL)
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    private struct Numbered: RequestConvertible {
        let count = Counter()

        func asRequest() throws -> RequestMessage { try RequestMessage("http://h/\(count.next())") }
    }

    /// Parity: AF-request-convertible
    @Test func buildsForEachAttemptOfAHandleAndOncePerDirectCall() async throws {
        let test = TestSession.configured {
            $0.interceptor = Interceptor(retriers: [
                Retrier(reconsidering: { $0.retryCount < 2 ? .retry : .doNotRetry })
            ])
        }
        _ = try await test.session.request(Numbered()).serializingData().value
        _ = try await test.session.send(Numbered())
        #expect(test.transport.requests.map(\.target.path) == ["/0", "/1", "/2", "/0", "/0", "/0"])
        try await assertNothingLeft(test.session)
    }
}
