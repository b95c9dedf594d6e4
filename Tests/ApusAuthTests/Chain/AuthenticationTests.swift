internal import Apus
internal import ApusCore
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusAuth

@Suite(.timeLimit(.minutes(5))) struct AuthenticationTests {
    private static let wall = #"Basic realm="a", charset="UTF-8""#

    private static func basic(_ source: CredentialSource? = .ada, realm: String = "a") -> GuardedSession {
        GuardedSession(source) { request in
            guard request.fields[.authorization] == adaAsBasic else { return .challenge("Basic realm=\"\(realm)\"") }
            return MockResponse(body: "hello")
        }
    }

    // MARK: Going again

    @Test func answersAChallengeWithTheSameRequest() async throws {
        let test = Self.basic()
        let answer = try await test.session.post("http://h/a?b=c", fields: [.accept: "x/y"], body: .string("content"))
        #expect(try answer.string() == "hello")
        #expect(test.authorizations == ["", adaAsBasic])
        let (first, second) = (try #require(test.transport.requests.first), try #require(test.transport.requests.last))
        #expect(second.method == first.method && second.target == first.target)
        #expect(second.body.length == 7)
        #expect(second.fields[.accept] == "x/y")
        #expect(answer.metrics.hops.map(\.cause) == [.first, .challenge])
    }

    @Test func leavesTheRefusalToRequestsWithoutCredentials() async throws {
        for source in [nil, CredentialSource { _ in nil }] {
            let test = Self.basic(source)
            let answer = try await test.session.get("http://h/")
            #expect(answer.status == .unauthorized)
            #expect(try answer.string() == "who are you?")
            #expect(test.transport.requests.count == 1)
        }
    }

    /// Parity: AF-authenticate-refused
    @Test func endsWithTheRefusalOfAWrongPassword() async throws {
        let test = GuardedSession(CredentialSource { _ in .user("ada", password: "wrong") }) { _ in
            .challenge(Self.wall)
        }
        let answer = try await test.session.get("http://h/")
        #expect(answer.status == .unauthorized)
        #expect(try answer.string() == "who are you?")
        #expect(test.transport.requests.count == 2)
        // And knows nothing of it the next time.
        _ = try await test.session.get("http://h/")
        #expect(test.authorizations.map(\.isEmpty) == [true, false, true, false])
    }

    private final class Link: Sendable {
        private let stored = Lock<Session?>(nil)

        var session: Session? {
            get { stored.withLock { $0 } }
            set { stored.withLock { $0 = newValue } }
        }
    }

    /// What a provider asks of its own session needs no place: the request that waits for it has one.
    @Test(arguments: [UserCodeExecution.offLoop, .onLoop])
    func letsItsProviderAskTheSameSession(userCode: UserCodeExecution) async throws {
        let link = Link()
        let source = CredentialSource { query in
            guard query.target.path == "/" else { return nil }
            _ = try await link.session?.get("http://h/password")
            return .user("ada", password: "secret")
        }
        let test = GuardedSession(source) {
            $0.requestsInFlight = 1
            $0.userCode = userCode
        } answering: { request in
            guard request.target.path == "/", request.fields[.authorization] != adaAsBasic else {
                return MockResponse()
            }
            return .challenge(Self.wall)
        }
        link.session = test.session
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(test.transport.requests.map(\.target.path) == ["/", "/password", "/"])
        link.session = nil
        try await assertNothingLeft(test.session)
    }

    @Test func asksAgainAfterARefusal() async throws {
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

    @Test func goesAgainNoOftenerThanItsLimit() async throws {
        let test = GuardedSession(
            CredentialSource { query in .user("ada", password: "\(query.previousFailureCount)") },
            answering: { request in .challenge("Basic realm=\"\(request.fields[.authorization] ?? "")\"") }
        )
        #expect(try await test.session.get("http://h/").status == .unauthorized)
        #expect(test.transport.requests.count == 1 + Authentication.roundLimit)
    }

    @Test func tellsTheProviderWhoAsks() async throws {
        let (queries, continuation) = AsyncStream.makeStream(of: CredentialQuery.self)
        let test = GuardedSession(
            CredentialSource { query in
                continuation.yield(query)
                return nil
            },
            answering: { _ in .challenge("Negotiate", #"Bearer realm="b", Digest realm="d", nonce="n", Basic"#) }
        )
        _ = try await test.session.get("https://h:8443/a")
        continuation.finish()
        var asked: [CredentialQuery] = []
        for await query in queries { asked.append(query) }
        // The strongest first; what there is no answer to, not at all.
        #expect(asked.map(\.space.scheme) == ["digest", "bearer", "basic"])
        #expect(asked.map(\.space.realm) == ["d", "b", nil])
        #expect(asked.allSatisfy { $0.space.origin == Origin(scheme: .https, host: "h", port: 8443) })
        #expect(asked.allSatisfy { $0.previousFailureCount == 0 && $0.target.path == "/a" })
        #expect(asked.first?.challenge["nonce"] == "n")
    }

    @Test func takesTheSchemeThatThereIsACredentialFor() async throws {
        let test = GuardedSession(CredentialSource { _ in .bearer("t0ken") }) { request in
            guard request.fields[.authorization] == "Bearer t0ken" else {
                return .challenge("Digest realm=a, nonce=n, qop=auth", "Basic realm=a", "Bearer realm=a")
            }
            return MockResponse()
        }
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(test.authorizations == ["", "Bearer t0ken"])
    }

    @Test func sendsNoPasswordInTheClearThatDigestRefused() async throws {
        let test = GuardedSession(.ada) { _ in .challenge("Digest realm=a, nonce=n, qop=auth", "Basic realm=a") }
        #expect(try await test.session.get("http://h/").status == .unauthorized)
        #expect(test.transport.requests.count == 2)
        #expect(!test.transport.requests.contains { $0.isBasic })
    }

    /// Whoever sits on the way can name another realm, and ask it for the password in the clear.
    @Test func sendsNoPasswordInTheClearThatDigestHasProved() async throws {
        let test = GuardedSession(
            CredentialSource { .user($0.space.realm == "c" ? "bob" : "ada", password: "secret") },
            answering: { request in
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
        // Where it was taken before, it is still known.
        #expect(test.transport.requests.map(\.target.path) == ["/a", "/a", "/b", "/a"])
        #expect(test.transport.requests.allSatisfy { !$0.isBasic })
        // Another password is that realm's own.
        #expect(try await test.session.get("http://h/c").status == .ok)
    }

    /// An attacker on the way refuses one request, so that the next has to be challenged again.
    @Test(arguments: ["a", "b"]) func sendsNoPasswordInTheClearThatDigestHasProvedToAnEarlierRequest(
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
        // Another origin has proved nothing.
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
    func answersNothingElse(status: Int, challenge: String?) async throws {
        let test = GuardedSession(.ada) { _ in
            var response = MockResponse(status: .init(code: status))
            response.fields[.wwwAuthenticate] = challenge
            response.fields[.proxyAuthenticate] = challenge
            return response
        }
        #expect(try await test.session.get("http://h/").status.code == status)
        #expect(test.transport.requests.count == 1)
    }

    // MARK: What is left alone

    @Test func leavesAFieldOfTheRequestsOwnAlone() async throws {
        for (url, fields) in [("http://h/", [.authorization: "Own x"]), ("http://bob:b@h/", [:])]
            as [(String, HTTPFields)]
        {
            let test = Self.basic()
            let answer = try await test.session.get(url, fields: fields)
            #expect(answer.status == .unauthorized)
            #expect(test.transport.requests.count == 1)
        }
    }

    @Test func sendsNothingToAnotherOrigin() async throws {
        let origin = Origin(scheme: .http, host: "h")
        let test = GuardedSession(
            CredentialSource { $0.space.origin == origin ? .user("ada", password: "secret") : nil },
            answering: { request in
                guard request.target.origin == origin, request.isBasic else { return .challenge(Self.wall) }
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

    @Test func startsAfreshBehindARedirect() async throws {
        let test = GuardedSession(.ada) { request in
            guard request.isBasic else { return .challenge(Self.wall) }
            if request.target.origin.host == "h" {
                return MockResponse(status: .found, fields: [.location: "http://other/"])
            }
            return MockResponse(body: "there")
        }
        let answer = try await test.session.get("http://h/")
        #expect(try answer.string() == "there")
        #expect(answer.metrics.hops.map(\.cause) == [.first, .challenge, .redirect, .challenge])
        #expect(test.authorizations.map(\.isEmpty) == [true, false, true, false])
    }

    // MARK: Replay and errors

    @Test func saysWhoNeedsABodyThatCanNotBeReadAgain() async throws {
        let test = GuardedSession(.ada) { request in
            let reader = try await request.body.open()
            while try await reader.next() != nil {}
            return .challenge(Self.wall)
        }
        let body = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        let error = try await #require(throws: ApusError.self) { try await test.session.post("http://h/", body: body) }
        #expect(error.code == .bodyNotReplayable)
        #expect(error.detail.contains("the challenge of http://h"))
        #expect(error.responseCode == 401)
        #expect(test.transport.requests.count == 1)
    }

    struct Trouble: Error {}

    @Test func reportsWhatTheProviderThrows() async throws {
        let test = Self.basic(CredentialSource { _ in throw Trouble() })
        let error = try await #require(throws: ApusError.self) { try await test.session.get("http://h/") }
        #expect(error.code == .middlewareFailed)
        #expect(error.underlying is Trouble)
        #expect(test.transport.requests.count == 1)
    }

    @Test(arguments: [
        Credential.user("a:geheim", password: "x"), .user("a", password: "geheim\r\nX: y"), .bearer("geheim\n"),
    ])
    func refusesWhatNoFieldCanHold(credential: Credential) async throws {
        let test = GuardedSession(CredentialSource { _ in credential }) { _ in .challenge("Basic realm=a", "Bearer") }
        let error = try await #require(throws: ApusError.self) { try await test.session.get("http://h/") }
        #expect(error.code == .invalidField)
        #expect(!"\(error)".contains("geheim"))
    }

    @Test func discardsTheAnswersThatItDoesNotHandOn() async throws {
        let test = GuardedSession(.ada) { request in
            guard request.isBasic else {
                var refusal = MockResponse.challenge(Self.wall)
                refusal.chunks = [BodyChunk("a"), BodyChunk("b")]
                return refusal
            }
            return MockResponse(body: "hello")
        }
        #expect(try await test.session.get("http://h/").string() == "hello")
        try await assertNothingLeft(test.session)
    }

    // MARK: Remembering

    @Test func sendsWhatItKnowsBelowThePathThatTookIt() async throws {
        let test = Self.basic()
        let paths = ["/a/b/c?d=/e", "/a/b/", "/a/b/x/y", "/a/x", "/a/b/../x", "/a/b/%2e%2e/x", "/a/b", "/"]
        for path in paths { #expect(try await test.session.get("http://h\(path)").status == .ok) }
        let asked = test.transport.requests.filter { !$0.isBasic }.map(\.target.path)
        #expect(asked == ["/a/b/c?d=/e", "/a/x", "/a/b/../x", "/a/b/%2e%2e/x", "/"])
    }

    /// Parity: AF-authenticate-default
    @Test func asksTheStoreBeforeItSendsWhatItKnows() async throws {
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

    @Test func asksForAnotherRealmOfAKnownPath() async throws {
        let test = GuardedSession(
            CredentialSource { .user($0.space.realm ?? "", password: "p") },
            answering: { request in
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
    @Test func answersForAHandle() async throws {
        let test = Self.basic(nil)
        for _ in 0..<2 {
            let request = test.session.request("http://h/").authenticate(username: "ada", password: "secret")
            #expect(try await request.serializingString().value == "hello")
        }
        // Nothing is sent before it is asked for, nor remembered.
        #expect(test.authorizations == ["", adaAsBasic, "", adaAsBasic])
        #expect(try await test.session.get("http://h/").status == .unauthorized)
    }

    /// Parity: AF-authenticate-persistence, AF-authenticate-default
    @Test func answersForARequestInPlaceOfItsSession() async throws {
        let test = Self.basic(CredentialSource { _ in .user("bob", password: "b") })
        let ada = RequestCredential(.user("ada", password: "secret"))
        #expect(try await test.session.get("http://h/", options: [ada]).status == .ok)
        #expect(test.authorizations == ["", adaAsBasic])
        #expect(try await test.session.get("http://h/").status == .unauthorized)
        let asked = RequestCredential(CredentialStore())
        let handle = test.session.request("http://h/", options: [asked]).authenticate(with: .bearer("x"))
        #expect(await handle.serializingData().response.response?.status == .unauthorized)
        #expect(test.transport.requests.count == 5)
    }

    /// Parity: AF-authenticate-persistence
    @Test func givesTheCredentialOfAHandleToItsOriginAlone() async throws {
        let test = GuardedSession { request in
            request.target.origin.host == "h"
                ? MockResponse(status: .found, fields: [.location: "http://other/"]) : .challenge(Self.wall)
        }
        let request = test.session.request("http://h/").authenticate(username: "ada", password: "secret")
        #expect(await request.serializingData().response.response?.status == .unauthorized)
        #expect(test.authorizations == ["", ""])
    }

    @Test func answersForStreamsAndDownloads() async throws {
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
