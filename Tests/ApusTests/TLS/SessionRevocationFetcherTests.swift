import Apus
import ApusCore
import ApusTestServer
import ApusTesting
import HTTPTypes
import Testing

/// The requests to OCSP responders.
@Suite(.timeLimit(.minutes(5))) struct SessionRevocationFetcherTests {
    private static let request: [UInt8] = [0x30, 0x03, 0x02, 0x01, 0x2A]

    /// Asks a responder, and returns its response.
    private func ask(
        _ behavior: TestServer.Behavior,
        timeLimit: Duration = .seconds(60),
        addressGuard: AddressGuard? = nil,
        _ check: (TestServer) throws -> Void = { _ in }
    ) async throws -> Result<[UInt8], ApusError> {
        let server = try await TestServer.start(behavior: behavior)
        let fetcher = SessionRevocationFetcher(timeLimit: timeLimit, proxy: .none)
        let responder = try TargetURI(server.url("/ocsp"))
        let result: Result<[UInt8], ApusError>
        do throws(ApusError) {
            result = .success(
                try await fetcher.response(to: Self.request, from: responder, addressGuard: addressGuard)
            )
        } catch {
            result = .failure(error)
        }
        try check(server)
        try await assertNothingLeft(fetcher.session)
        await server.stop()
        return result
    }

    private static func responding(_ count: Int) -> TestServer.Behavior {
        .handler { _ in TestResponse(fields: [("Set-Cookie", "a=b")], body: .pattern(count: count)) }
    }

    @Test func postsTheRequest() async throws {
        let result = try await ask(Self.responding(100)) { server in
            let request = try #require(server.requests.first)
            #expect(request.method == "POST")
            #expect(request.body == Self.request)
            #expect(request["Content-Type"] == "application/ocsp-request")
            #expect(request["Accept"] == "application/ocsp-response")
            for name in ["User-Agent", "Accept-Language", "Accept-Encoding", "Cookie", "Authorization"] {
                #expect(request[name] == nil, "\(name)")
            }
        }
        #expect(try result.get().count == 100)
    }

    @Test func limitsTheSizeOfAResponse() async throws {
        #expect(try await ask(Self.responding(64 << 10)).get().count == 64 << 10)
        #expect(try await ask(Self.responding((64 << 10) + 1)).code == .bodyTooLarge)
    }

    @Test func limitsTheTimeOfARequest() async throws {
        let result = try await ask(.script([.expectHead, .silence]), timeLimit: .milliseconds(100))
        #expect(result.code == .deadlineExceeded)
    }

    @Test func followsNoRedirects() async throws {
        let moved = TestServer.Behavior.handler { _ in TestResponse(status: 307, fields: [("Location", "/get")]) }
        let result = try await ask(moved) { #expect($0.requestCount == 1) }
        #expect(result.code == .unacceptableStatus)
    }

    @Test func requiresASuccessfulStatus() async throws {
        let failing = TestServer.Behavior.handler { _ in TestResponse(status: 503, body: .pattern(count: 100)) }
        #expect(try await ask(failing).code == .unacceptableStatus)
    }

    @Test func obeysAGuard() async throws {
        let result = try await ask(Self.responding(100), addressGuard: .publicOnly) { server in
            #expect(server.acceptedConnections == 0)
        }
        #expect(result.code == .addressRefused)
    }
}
