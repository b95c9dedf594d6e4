internal import Apus
internal import ApusCore
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusAuth

@Suite(.timeLimit(.minutes(5))) struct AuthenticationMiddlewareTests {
    private static let basicChallenge = #"Basic realm="a", charset="UTF-8""#

    private static func basic(_ source: CredentialSource? = .ada, realm: String = "a") -> GuardedSession {
        GuardedSession(source) { request in
            guard request.fields[.authorization] == adaAsBasic else { return .challenge("Basic realm=\"\(realm)\"") }
            return MockResponse(body: "hello")
        }
    }

    // MARK: Challenges

    @Test func resendsTheRequestAfterAChallenge() async throws {
        let test = Self.basic()
        let response = try await test.session.post("http://h/a?b=c", fields: [.accept: "x/y"], body: .string("content"))
        #expect(try response.string() == "hello")
        #expect(test.authorizations == ["", adaAsBasic])
        let (first, second) = (try #require(test.transport.requests.first), try #require(test.transport.requests.last))
        #expect(second.method == first.method && second.target == first.target)
        #expect(second.body.length == 7)
        #expect(second.fields[.accept] == "x/y")
        #expect(response.metrics.exchanges.map(\.cause) == [.first, .challenge])
    }

    @Test func returnsTheRefusalWithoutCredentials() async throws {
        for source in [nil, CredentialSource { _ in nil }] {
            let test = Self.basic(source)
            let response = try await test.session.get("http://h/")
            #expect(response.status == .unauthorized)
            #expect(try response.string() == "who are you?")
            #expect(test.transport.requests.count == 1)
        }
    }

    /// Parity: AF-authenticate-refused
    @Test func returnsTheRefusalOfAWrongPassword() async throws {
        let test = GuardedSession(CredentialSource { _ in .user("ada", password: "wrong") }) { _ in
            .challenge(Self.basicChallenge)
        }
        let response = try await test.session.get("http://h/")
        #expect(response.status == .unauthorized)
        #expect(try response.string() == "who are you?")
        #expect(test.transport.requests.count == 2)
        // A refused password is not stored.
        _ = try await test.session.get("http://h/")
        #expect(test.authorizations.map(\.isEmpty) == [true, false, true, false])
    }

    private final class SessionReference: Sendable {
        private let stored = Lock<Session?>(nil)

        var session: Session? {
            get { stored.withLock { $0 } }
            set { stored.withLock { $0 = newValue } }
        }
    }

    /// A request of the provider needs no slot, because the request that waits for it has one.
    @Test(arguments: [HandlerExecution.concurrent, .eventLoop])
    func letsTheProviderUseTheSameSession(handlerExecution: HandlerExecution) async throws {
        let reference = SessionReference()
        let source = CredentialSource { query in
            guard query.target.path == "/" else { return nil }
            _ = try await reference.session?.get("http://h/password")
            return .user("ada", password: "secret")
        }
        let test = GuardedSession(source) {
            $0.requestsInFlight = 1
            $0.handlerExecution = handlerExecution
        } respondingWith: { request in
            guard request.target.path == "/", request.fields[.authorization] != adaAsBasic else {
                return MockResponse()
            }
            return .challenge(Self.basicChallenge)
        }
        reference.session = test.session
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(test.transport.requests.map(\.target.path) == ["/", "/password", "/"])
        reference.session = nil
        try await assertNothingLeft(test.session)
    }

    @Test func callsTheProviderAgainAfterARefusal() async throws {
        let passwords = ["first", "second", "secret"]
        let test = Self.basic(
            CredentialSource { query in
                guard query.previousFailureCount < passwords.count else { return nil }
                return .user("ada", password: passwords[query.previousFailureCount])
            }
        )
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(test.transport.requests.count == 4)
        #expect(test.authorizations.last == adaAsBasic)
    }

    @Test func limitsTheNumberOfRounds() async throws {
        let test = GuardedSession(
            CredentialSource { query in .user("ada", password: "\(query.previousFailureCount)") },
            respondingWith: { request in .challenge("Basic realm=\"\(request.fields[.authorization] ?? "")\"") }
        )
        #expect(try await test.session.get("http://h/").status == .unauthorized)
        #expect(test.transport.requests.count == 1 + AuthenticationMiddleware.roundLimit)
    }

    @Test func passesTheChallengesToTheProvider() async throws {
        let (queries, continuation) = AsyncStream.makeStream(of: CredentialQuery.self)
        let test = GuardedSession(
            CredentialSource { query in
                continuation.yield(query)
                return nil
            },
            respondingWith: { _ in .challenge("Negotiate", #"Bearer realm="b", Digest realm="d", nonce="n", Basic"#) }
        )
        _ = try await test.session.get("https://h:8443/a")
        continuation.finish()
        var received: [CredentialQuery] = []
        for await query in queries { received.append(query) }
        // The strongest scheme comes first. Unsupported schemes are skipped.
        #expect(received.map(\.space.scheme) == ["digest", "bearer", "basic"])
        #expect(received.map(\.space.realm) == ["d", "b", nil])
        #expect(received.allSatisfy { $0.space.origin == Origin(scheme: .https, host: "h", port: 8443) })
        #expect(received.allSatisfy { $0.previousFailureCount == 0 && $0.target.path == "/a" })
        #expect(received.first?.challenge["nonce"] == "n")
    }

    @Test func usesTheSchemeThatHasACredential() async throws {
        let test = GuardedSession(CredentialSource { _ in .bearer("t0ken") }) { request in
            guard request.fields[.authorization] == "Bearer t0ken" else {
                return .challenge("Digest realm=a, nonce=n, qop=auth", "Basic realm=a", "Bearer realm=a")
            }
            return MockResponse()
        }
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(test.authorizations == ["", "Bearer t0ken"])
    }

    @Test func sendsNoBasicPasswordThatDigestRefused() async throws {
        let test = GuardedSession(.ada) { _ in .challenge("Digest realm=a, nonce=n, qop=auth", "Basic realm=a") }
        #expect(try await test.session.get("http://h/").status == .unauthorized)
        #expect(test.transport.requests.count == 2)
        #expect(!test.transport.requests.contains { $0.isBasic })
    }

    /// An attacker on the path can name another realm and request the password in clear text.
    @Test func sendsNoBasicPasswordThatDigestProved() async throws {
        let test = GuardedSession(
            CredentialSource { .user($0.space.realm == "c" ? "bob" : "ada", password: "secret") },
            respondingWith: { request in
                switch request.target.path {
                case "/b": .challenge("Basic realm=b")
                case "/c": request.isBasic ? MockResponse() : .challenge("Basic realm=c")
                default: request.knows("secret") ? MockResponse() : .challenge("Digest realm=a, nonce=n, qop=auth")
                }
            }
        )
        for (path, status) in [("/a", HTTPResponse.Status.ok), ("/b", .unauthorized), ("/a", .ok)] {
            #expect(try await test.session.get("http://h\(path)").status == status)
        }
        // The credential is still known for the path that accepted it.
        #expect(test.transport.requests.map(\.target.path) == ["/a", "/a", "/b", "/a"])
        #expect(test.transport.requests.allSatisfy { !$0.isBasic })
        // A realm with another password may use Basic.
        #expect(try await test.session.get("http://h/c").status == .ok)
    }

    /// An attacker on the path refuses one request, so that the next one is challenged again.
    @Test(arguments: ["a", "b"]) func sendsNoBasicPasswordThatDigestProvedForAnEarlierRequest(
        realm: String
    ) async throws {
        let isAttacked = Lock(false)
        let test = GuardedSession(.ada) { request in
            guard !isAttacked.withLock({ $0 }) else { return .challenge("Basic realm=\(realm)") }
            return request.knows("secret") ? MockResponse() : .challenge("Digest realm=a, nonce=n, qop=auth")
        }
        #expect(try await test.session.get("http://h/").status == .ok)
        isAttacked.withLock { $0 = true }
        for _ in 0..<3 { #expect(try await test.session.get("http://h/").status == .unauthorized) }
        #expect(test.transport.requests.allSatisfy { !$0.isBasic })
        isAttacked.withLock { $0 = false }
        #expect(try await test.session.get("http://h/").status == .ok)
        // The password was not proved to the other origin.
        isAttacked.withLock { $0 = true }
        _ = try await test.session.get("http://other/")
        #expect(test.transport.requests.last?.isBasic == true)
    }

    @Test(
        arguments: [
            (401, nil), (407, "Basic realm=a"), (403, "Basic realm=a"), (401, "Negotiate"),
            (401, "Digest nonce=n, qop=x"),
        ] as [(Int, String?)]
    )
    func ignoresOtherStatusesAndSchemes(status: Int, challenge: String?) async throws {
        let test = GuardedSession(.ada) { _ in
            var response = MockResponse(status: .init(code: status))
            response.fields[.wwwAuthenticate] = challenge
            response.fields[.proxyAuthenticate] = challenge
            return response
        }
        #expect(try await test.session.get("http://h/").status.code == status)
        #expect(test.transport.requests.count == 1)
    }

    // MARK: Unauthenticated requests

    @Test func keepsTheAuthorizationOfTheRequest() async throws {
        for (url, fields) in [("http://h/", [.authorization: "Own x"]), ("http://bob:b@h/", [:])]
            as [(String, HTTPFields)]
        {
            let test = Self.basic()
            let response = try await test.session.get(url, fields: RequestFields(fields))
            #expect(response.status == .unauthorized)
            #expect(test.transport.requests.count == 1)
        }
    }

    @Test func sendsNoCredentialToAnotherOrigin() async throws {
        let origin = Origin(scheme: .http, host: "h")
        let test = GuardedSession(
            CredentialSource { $0.space.origin == origin ? .user("ada", password: "secret") : nil },
            respondingWith: { request in
                guard request.target.origin == origin, request.isBasic else { return .challenge(Self.basicChallenge) }
                return MockResponse(status: .found, fields: [.location: "http://other/a"])
            }
        )
        #expect(try await test.session.get("http://h/a").status == .unauthorized)
        #expect(try await test.session.get("http://h:81/a").status == .unauthorized)
        #expect(try await test.session.get("https://h/a").status == .unauthorized)
        let elsewhere = test.transport.requests.filter { $0.target.origin != origin }
        #expect(elsewhere.map(\.target.uri) == ["http://other/a", "http://h:81/a", "https://h/a"])
        #expect(elsewhere.allSatisfy { !$0.fields.contains(.authorization) })
    }

    @Test func authenticatesAnewAfterARedirect() async throws {
        let test = GuardedSession(.ada) { request in
            guard request.isBasic else { return .challenge(Self.basicChallenge) }
            if request.target.origin.host == "h" {
                return MockResponse(status: .found, fields: [.location: "http://other/"])
            }
            return MockResponse(body: "there")
        }
        let response = try await test.session.get("http://h/")
        #expect(try response.string() == "there")
        #expect(response.metrics.exchanges.map(\.cause) == [.first, .challenge, .redirect, .challenge])
        #expect(test.authorizations.map(\.isEmpty) == [true, false, true, false])
    }

    // MARK: Replay and errors

    @Test func reportsABodyThatCanNotBeReadAgain() async throws {
        let test = GuardedSession(.ada) { request in
            let reader = try await request.body.open()
            while try await reader.next() != nil {}
            return .challenge(Self.basicChallenge)
        }
        let body = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        let error = try await #require(throws: ApusError.self) { try await test.session.post("http://h/", body: body) }
        #expect(error.code == .bodyNotReplayable)
        #expect(error.detail.contains("the challenge of http://h"))
        #expect(error.responseCode == 401)
        #expect(test.transport.requests.count == 1)
    }

    struct ProviderError: Error {}

    @Test func reportsErrorsOfTheProvider() async throws {
        let test = Self.basic(CredentialSource { _ in throw ProviderError() })
        let error = try await #require(throws: ApusError.self) { try await test.session.get("http://h/") }
        #expect(error.code == .middlewareFailed)
        #expect(error.underlying is ProviderError)
        #expect(test.transport.requests.count == 1)
    }

    @Test(arguments: [
        Credential.user("a:sesame", password: "x"), .user("a", password: "sesame\r\nX: y"), .bearer("sesame\n"),
    ])
    func rejectsCredentialsThatNoFieldCanHold(credential: Credential) async throws {
        let test = GuardedSession(CredentialSource { _ in credential }) { _ in .challenge("Basic realm=a", "Bearer") }
        let error = try await #require(throws: ApusError.self) { try await test.session.get("http://h/") }
        #expect(error.code == .invalidField)
        #expect(!"\(error)".contains("sesame"))
    }

    @Test func discardsTheBodiesOfChallenges() async throws {
        let test = GuardedSession(.ada) { request in
            guard request.isBasic else {
                var refusal = MockResponse.challenge(Self.basicChallenge)
                refusal.chunks = [BodyChunk("a"), BodyChunk("b")]
                return refusal
            }
            return MockResponse(body: "hello")
        }
        #expect(try await test.session.get("http://h/").string() == "hello")
        try await assertNothingLeft(test.session)
    }

    // MARK: Preemptive credentials

    @Test func sendsCredentialsPreemptivelyBelowAnAcceptedPath() async throws {
        let test = Self.basic()
        let paths = ["/a/b/c?d=/e", "/a/b/", "/a/b/x/y", "/a/x", "/a/b/../x", "/a/b/%2e%2e/x", "/a/b", "/"]
        for path in paths { #expect(try await test.session.get("http://h\(path)").status == .ok) }
        let challenged = test.transport.requests.filter { !$0.isBasic }.map(\.target.path)
        #expect(challenged == ["/a/b/c?d=/e", "/a/x", "/a/b/../x", "/a/b/%2e%2e/x", "/"])
    }

    /// Parity: AF-authenticate-default
    @Test func checksTheStoreBeforeSendingPreemptively() async throws {
        let store = CredentialStore()
        let space = ProtectionSpace(Origin(scheme: .http, host: "h"))
        store.set(.user("ada", password: "secret"), for: space)
        let test = Self.basic(CredentialSource(store))
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(test.transport.requests.count == 3)
        store.removeAll()
        #expect(try await test.session.get("http://h/").status == .unauthorized)
        #expect(test.authorizations == ["", adaAsBasic, adaAsBasic, ""])
    }

    @Test func authenticatesForAnotherRealmOfAKnownPath() async throws {
        let test = GuardedSession(
            CredentialSource { .user($0.space.realm ?? "", password: "p") },
            respondingWith: { request in
                let realm = request.target.path.hasPrefix("/a/") ? "a" : "root"
                let wanted = "Basic " + Data("\(realm):p".utf8).base64EncodedString()
                guard request.fields[.authorization] == wanted else { return .challenge("Basic realm=\(realm)") }
                return MockResponse()
            }
        )
        for path in ["/x", "/a/x", "/a/y", "/y"] {
            #expect(try await test.session.get("http://h\(path)").status == .ok)
        }
        #expect(test.transport.requests.map(\.target.path) == ["/x", "/x", "/a/x", "/a/x", "/a/y", "/y"])
    }

    // MARK: Single requests

    /// Parity: AF-authenticate
    @Test func authenticatesAHandle() async throws {
        let test = Self.basic(nil)
        for _ in 0..<2 {
            let request = test.session.request("http://h/").authenticate(username: "ada", password: "secret")
            #expect(try await request.serializingString().value == "hello")
        }
        // The credential is neither sent preemptively nor stored.
        #expect(test.authorizations == ["", adaAsBasic, "", adaAsBasic])
        #expect(try await test.session.get("http://h/").status == .unauthorized)
    }

    /// Parity: AF-authenticate-persistence, AF-authenticate-default
    @Test func prefersTheCredentialOfTheRequest() async throws {
        let test = Self.basic(CredentialSource { _ in .user("bob", password: "b") })
        let ada = RequestCredential(.user("ada", password: "secret"))
        #expect(try await test.session.get("http://h/", options: [ada]).status == .ok)
        #expect(test.authorizations == ["", adaAsBasic])
        #expect(try await test.session.get("http://h/").status == .unauthorized)
        let empty = RequestCredential(CredentialStore())
        let handle = test.session.request("http://h/", options: [empty]).authenticate(with: .bearer("x"))
        #expect(await handle.serializingData().response.response?.status == .unauthorized)
        #expect(test.transport.requests.count == 5)
    }

    /// Parity: AF-authenticate-persistence
    @Test func sendsTheCredentialOfAHandleOnlyToItsOrigin() async throws {
        let test = GuardedSession { request in
            request.target.origin.host == "h"
                ? MockResponse(status: .found, fields: [.location: "http://other/"]) : .challenge(Self.basicChallenge)
        }
        let request = test.session.request("http://h/").authenticate(username: "ada", password: "secret")
        #expect(await request.serializingData().response.response?.status == .unauthorized)
        #expect(test.authorizations == ["", ""])
    }

    @Test func authenticatesStreamsAndDownloads() async throws {
        let test = Self.basic()
        let streamed = try await test.session.stream(try RequestMessage("http://h/a"))
        #expect(streamed.status == .ok)
        streamed.body.discard()
        let file = try await test.session.download("http://h/b", to: .temporary)
            .authenticate(username: "ada", password: "secret").serializingURL().value
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == "hello")
    }
}
