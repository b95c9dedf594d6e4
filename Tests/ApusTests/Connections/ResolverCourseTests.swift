import Apus
import ApusCore
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Testing

/// Resolvers of the user.
@Suite(.timeLimit(.minutes(5))) struct ResolverCourseTests {
    /// A resolver that waits until it is released, even if its task is cancelled.
    private final class HeldResolver: HostResolving {
        let hasBegun = Gate()
        private let end = Deferred<Bool>()

        func addresses(of host: String) async throws -> [IPAddress] {
            hasBegun.open()
            _ = await end.value
            return [.loopback]
        }

        func release() { end.fulfill(true) }
    }

    /// A resolver that throws, or returns no address.
    private struct FailingResolver: HostResolving {
        let error: (any Error)?

        func addresses(of host: String) async throws -> [IPAddress] {
            if let error { throw error }
            return []
        }
    }

    private struct Fault: Error {}

    @Test(arguments: Wire.allCases, Form.allCases) func resolvesHosts(wire: Wire, form: Form) async throws {
        let server = try await TestServer.start(tls: wire.tls)
        var configuration = wire.configuration
        configuration.resolver = CachingResolver(FixedHosts([.loopback]))
        let session = Session(configuration: configuration)
        let url = "\(wire == .tls ? "https" : "http")://1.test.localhost:\(server.port)/get"
        let message = try RequestMessage(url)
        #expect(await form.outcome(of: message, on: session).error == nil)
        #expect(server.requests.first?["Host"] == "1.test.localhost:\(server.port)")
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test func reportsItsFailures() async throws {
        let cases: [(error: (any Error)?, code: ApusError.Code)] = [
            (Fault(), .resolveFailed), (ApusError(.hostNotFound, "x"), .hostNotFound), (nil, .hostNotFound),
            (CancellationError(), .resolveFailed),
        ]
        for (thrown, code) in cases {
            var configuration = Wire.plain.configuration
            configuration.resolver = FailingResolver(error: thrown)
            let session = Session(configuration: configuration)
            let error = await failure { try await session.get("http://a.test/") }
            #expect(error?.code == code)
            if thrown is Fault { #expect(error?.underlying is Fault) }
            try await assertNothingLeft(session)
        }
    }

    @Test func isLimitedByTheConnectTimeout() async throws {
        let resolver = HeldResolver()
        var configuration = Wire.plain.configuration
        configuration.resolver = resolver
        configuration.timeouts.connect = .milliseconds(100)
        let session = Session(configuration: configuration)
        let error = await failure { try await session.get("http://a.test/") }
        #expect(error?.code == .connectTimeout)
        #expect(error?.detail.contains("'a.test' was not resolved") == true)
        try await assertNothingLeft(session)
        resolver.release()
    }

    @Test func isNotWaitedForOnShutdown() async throws {
        let resolver = HeldResolver()
        var configuration = Wire.plain.configuration
        configuration.resolver = resolver
        let session = Session(configuration: configuration)
        let request = Form.direct.start(try RequestMessage("http://a.test/"), on: session)
        await resolver.hasBegun.wait()
        await session.shutdown(within: .zero)
        #expect(await request.value.code == .sessionShutDown)
        try await assertNothingLeft(session)
        resolver.release()
    }

    @Test func isNotAskedForAddresses() async throws {
        let server = try await TestServer.start()
        var configuration = Wire.plain.configuration
        configuration.resolver = FailingResolver(error: Fault())
        let session = Session(configuration: configuration)
        try await session.get(server.url("/get")).validate()
        try await assertNothingLeft(session)
        await server.stop()
    }

    @Test func ofTheSystemCanBeCalled() async throws {
        #expect(try await SystemHostResolver().addresses(of: "127.0.0.1") == [IPAddress.loopback])
        #expect(try await CachingResolver().addresses(of: "::1") == [IPAddress.ipv6Loopback])
    }
}
