internal import Apus
internal import ApusCore
internal import ApusTesting
internal import Testing

@testable internal import ApusAuth

@Suite(.timeLimit(.minutes(5))) struct DigestAuthenticationTests {
    private static func digest(_ parameters: String = "nonce=n", realm: String = "a") -> String {
        "Digest realm=\"\(realm)\", qop=auth, \(parameters)"
    }

    @Test func countsTheRequestsOfAKnownNonce() async throws {
        let test = GuardedSession(.ada) { request in
            request.knows("secret") ? MockResponse() : .challenge(Self.digest())
        }
        for path in ["/a", "/b/c", "/"] { #expect(try await test.session.get("http://h\(path)").status == .ok) }
        #expect(test.transport.requests.count == 4)
        #expect(test.transport.requests.map { $0.digestValue("nc") } == [nil, "00000001", "00000002", "00000003"])
    }

    @Test func givesEachConcurrentRequestItsOwnCount() async throws {
        let test = GuardedSession(.ada) { request in
            request.knows("secret") ? MockResponse() : .challenge(Self.digest())
        }
        let session = test.session
        let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for number in 0..<200 { group.addTask { try await session.get("http://h/\(number)").status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == .ok })
        let authenticated = test.transport.requests.filter { $0.digestValue("nc") != nil }
        #expect(authenticated.count == 200)
        let counts = authenticated.map { "\($0.digestValue("nc") ?? "") \($0.digestValue("nonce") ?? "")" }
        #expect(Set(counts).count == 200)
    }

    @Test(
        arguments: [
            (
                [
                    "Digest realm=a, nonce=n, qop=auth, algorithm=MD5",
                    "Digest realm=a, nonce=n, qop=auth, algorithm=SHA-256",
                ], "SHA-256"
            ),
            (
                [
                    "Digest realm=a, nonce=n, qop=auth, algorithm=SHA-512-256, Digest realm=a, nonce=n, qop=auth, algorithm=SHA-256"
                ],
                "SHA-512-256"
            ),
            (
                [
                    "Basic realm=a, Digest realm=a, nonce=n, qop=auth",
                    "Digest realm=a, nonce=n, qop=auth, algorithm=SHA-1024",
                ], nil
            ),
            (
                ["Digest realm=a, nonce=n, algorithm=SHA-256-sess", "Digest realm=a, nonce=n, algorithm=SHA-256"],
                "SHA-256-sess"
            ),
        ] as [([String], String?)]
    )
    func usesTheStrongestAlgorithm(challenges: [String], algorithm: String?) async throws {
        let test = GuardedSession(.ada) { request in
            guard !request.fields.contains(.authorization) else { return MockResponse() }
            var refusal = MockResponse.challenge()
            for line in challenges { refusal.fields.append(HTTPField(name: .wwwAuthenticate, value: line)) }
            return refusal
        }
        #expect(try await test.session.get("http://h/").status == .ok)
        let last = try #require(test.transport.requests.last)
        #expect(last.fields[.authorization]?.hasPrefix("Digest ") == true)
        #expect(last.digestValue("algorithm") == algorithm)
    }

    @Test func doesNotCountAStaleNonceAsARefusal() async throws {
        let test = GuardedSession(
            CredentialSource { $0.previousFailureCount == 0 ? .user("ada", password: "secret") : nil },
            respondingWith: { request in
                guard let nonce = request.digestValue("nonce") else { return .challenge(Self.digest("nonce=1")) }
                guard request.knows("secret") else { return MockResponse(status: .forbidden) }
                return nonce == "3"
                    ? MockResponse() : .challenge(Self.digest("nonce=\((Int(nonce) ?? 0) + 1), stale=true"))
            }
        )
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(test.transport.requests.map { $0.digestValue("nonce") } == [nil, "1", "2", "3"])
        #expect(test.transport.requests.allSatisfy { ($0.digestValue("nc") ?? "00000001") == "00000001" })
    }

    @Test func stopsIfEveryNonceIsStale() async throws {
        let test = GuardedSession(.ada) { request in
            .challenge(Self.digest("nonce=\(request.digestValue("nonce") ?? "")x, stale=TRUE"))
        }
        #expect(try await test.session.get("http://h/").status == .unauthorized)
        #expect(test.transport.requests.count == 1 + AuthenticationMiddleware.roundLimit)
    }

    /// Parity: AF-authenticate, AF-authenticate-refused
    @Test func returnsTheRefusalOfAWrongPassword() async throws {
        let test = GuardedSession(.ada) { request in
            .challenge(Self.digest("nonce=\(request.digestValue("nonce") ?? "")x"))
        }
        let response = try await test.session.get("http://h/")
        #expect(response.status == .unauthorized)
        #expect(try response.string() == "who are you?")
        #expect(test.transport.requests.count == 2)
    }

    /// Not every server reports an expired nonce as stale.
    @Test func renewsAKnownNonceThatIsRefused() async throws {
        let test = GuardedSession(
            CredentialSource { $0.previousFailureCount == 0 ? .user("ada", password: "secret") : nil },
            respondingWith: { request in
                let wanted = request.target.path == "/a" ? "1" : "2"
                guard request.digestValue("nonce") == wanted, request.knows("secret") else {
                    return .challenge(Self.digest("nonce=\(wanted)"))
                }
                return MockResponse()
            }
        )
        for path in ["/a", "/b", "/b"] { #expect(try await test.session.get("http://h\(path)").status == .ok) }
        #expect(test.transport.requests.map { $0.digestValue("nonce") } == [nil, "1", "1", "2", "2"])
    }

    @Test func usesTheNextNonce() async throws {
        let test = GuardedSession(.ada) { request in
            guard request.knows("secret"), let nonce = request.digestValue("nonce") else {
                return .challenge(Self.digest())
            }
            return MockResponse(fields: [.authenticationInfo: "nextnonce=\"\(nonce)n\", qop=auth"])
        }
        for _ in 0..<3 { #expect(try await test.session.get("http://h/").status == .ok) }
        #expect(test.transport.requests.map { $0.digestValue("nonce") } == [nil, "n", "nn", "nnn"])
        #expect(test.transport.requests.compactMap { $0.digestValue("nc") } == ["00000001", "00000001", "00000001"])
    }

    @Test func keepsTheKeyOfASession() async throws {
        let test = GuardedSession(.ada) { request in
            guard let nonce = request.digestValue("nonce") else {
                return .challenge(Self.digest("nonce=n, algorithm=MD5-sess"))
            }
            return MockResponse(fields: [.authenticationInfo: "nextnonce=\(nonce)n"])
        }
        for _ in 0..<2 { #expect(try await test.session.get("http://h/").status == .ok) }
        let last = try #require(test.transport.requests.last)
        let clientNonce = try #require(last.digestValue("cnonce"))
        let key = HashFunction.md5.hexadecimal("\(HashFunction.md5.hexadecimal("ada:a:secret")):n:\(clientNonce)")
        let requestHash = HashFunction.md5.hexadecimal("GET:/")
        #expect(last.digestValue("nonce") == "nn")
        let proof = HashFunction.md5.hexadecimal("\(key):nn:00000001:\(clientNonce):auth:\(requestHash)")
        #expect(last.digestValue("response") == proof)
    }

    @Test func rejectsAServerThatDoesNotKnowThePassword() async throws {
        let isRight = [true, false]
        for isRight in isRight {
            let test = GuardedSession(.ada) { request in
                guard let clientNonce = request.digestValue("cnonce") else { return .challenge(Self.digest()) }
                let key = HashFunction.md5.hexadecimal("ada:a:\(isRight ? "secret" : "guess")")
                let requestHash = HashFunction.md5.hexadecimal(":/x")
                let proof = HashFunction.md5.hexadecimal("\(key):n:00000001:\(clientNonce):auth:\(requestHash)")
                return MockResponse(fields: [.authenticationInfo: "rspauth=\"\(proof)\""])
            }
            guard !isRight else {
                #expect(try await test.session.get("http://h/x").status == .ok)
                continue
            }
            let error = try await #require(throws: ApusError.self) { try await test.session.get("http://h/x") }
            #expect(error.code == .malformedResponse)
            #expect(error.responseCode == 200)
        }
    }

    @Test(arguments: [
        ("", ["/a", "/b/c"], 3), (", domain=\"/b\"", ["/a", "/b/c", "/bb", "/a"], 6),
        (", domain=\"http://h/x /b\"", ["/a", "/x/y", "/b", "/c"], 6),
        // Paths of another origin do not apply to this one.
        (", domain=\"http://other/\"", ["/a/b", "/a/c", "/d"], 5),
    ])
    func respectsTheProtectionSpaceOfANonce(domain: String, paths: [String], count: Int) async throws {
        let test = GuardedSession(.ada) { request in
            request.knows("secret") ? MockResponse() : .challenge(Self.digest("nonce=n\(domain)"))
        }
        for path in paths { #expect(try await test.session.get("http://h\(path)").status == .ok) }
        #expect(test.transport.requests.count == count)
        _ = try await test.session.get("http://other/")
        #expect(test.transport.requests.count == count + 2)
    }

    // MARK: Octets

    /// By RFC 7616 §3.4, realm, nonce and opaque are returned unchanged and hashed as octets. These are not UTF-8.
    @Test(arguments: ["MD5", "MD5-sess"]) func returnsTheOctetsOfAChallengeUnchanged(algorithm: String) async throws {
        @Sendable func octets(_ pieces: [UInt8]...) -> [UInt8] { Array(pieces.joined()) }
        let (realm, nonce, opaque): ([UInt8], [UInt8], [UInt8]) = ([0x63, 0xE9, 0x22, 0x5C], [0xE8, 0x6E], [0xFF])
        let challenge = octets(
            Array("Digest realm=\"c".utf8),
            [0xE9],
            Array(#"\"\\", nonce=""#.utf8),
            nonce,
            Array("\", opaque=\"".utf8),
            opaque,
            Array("\", qop=auth, algorithm=\(algorithm)".utf8)
        )
        let test = GuardedSession(.ada) { request in
            guard request.fields.contains(.authorization) else {
                var response = MockResponse(status: .unauthorized)
                response.fields.append(HTTPField(name: .wwwAuthenticate, value: challenge))
                return response
            }
            let info = octets(Array("nextnonce=\"".utf8), nonce, [0xE7], Array("\"".utf8))
            var response = MockResponse()
            response.fields.append(HTTPField(name: .authenticationInfo, value: info))
            return response
        }
        for _ in 0..<2 { #expect(try await test.session.get("http://h/x").status == .ok) }
        let fields = test.transport.requests.flatMap { $0.fields[fields: .authorization] }
        for (field, nextNonce) in zip(fields, [nonce, nonce + [0xE7]]) {
            let sent = field.withUnsafeBytesOfValue { Array($0) }
            let quotedRealm = octets([0x63, 0xE9], Array(#"\"\\"#.utf8))
            for (name, value) in [("realm", quotedRealm), ("nonce", nextNonce), ("opaque", opaque)] {
                let parameter = octets(Array("\(name)=\"".utf8), value, [0x22])
                #expect(sent.firstRange(of: parameter) != nil, "\(name)")
            }
            // RFC 7616 §3.4.1 and §3.4.2. Everything except the realm and the nonces is ASCII.
            let text = String(decoding: sent, as: UTF8.self)
            let clientNonce = try #require(text.firstMatch(of: #/cnonce="(\w+)"/#)).1
            let hash = HashFunction.md5
            func hexadecimal(_ parts: [UInt8]...) -> [UInt8] {
                Array(hash.hash(parts.joined(separator: [0x3A])).hexadecimal.utf8)
            }
            var key = hexadecimal(Array("ada".utf8), realm, Array("secret".utf8))
            if algorithm.hasSuffix("sess") { key = hexadecimal(key, nonce, Array(clientNonce.utf8)) }
            let requestHash = hexadecimal(Array("GET".utf8), Array("/x".utf8))
            let counted = Array("00000001:\(clientNonce):auth".utf8)
            let response = hexadecimal(key, nextNonce, counted, requestHash)
            #expect(text.contains("response=\"\(String(decoding: response, as: UTF8.self))\""))
        }
        #expect(fields.count == 2)
    }

    // MARK: Bodies

    @Test(arguments: ["auth-int", "auth-int,token", "auth,auth-int"])
    func hashesTheBodyOnlyIfRequired(quality: String) async throws {
        let content = String(repeating: "content ", count: 10_000)
        let isWhole = !quality.hasPrefix("auth,")
        let test = GuardedSession(.ada) { request in
            request.knows("secret", function: .sha256, content: isWhole ? content : nil)
                ? MockResponse() : .challenge("Digest realm=a, nonce=n, qop=\"\(quality)\", algorithm=SHA-256")
        }
        let stream = RequestBody.replayable {
            AsyncStream<BodyChunk> { continuation in
                for _ in 0..<10_000 { continuation.yield(BodyChunk("content ")) }
                continuation.finish()
            }
        }
        for body in [RequestBody.string(content), stream] {
            #expect(try await test.session.post("http://h/", body: body).status == .ok)
        }
        #expect(
            test.transport.requests.map { $0.digestValue("qop") } == [
                nil, isWhole ? "auth-int" : "auth", isWhole ? "auth-int" : "auth",
            ]
        )
    }

    @Test func hashesAnEmptyBody() async throws {
        let test = GuardedSession(.ada) { request in
            request.knows("secret", content: "") ? MockResponse() : .challenge("Digest realm=a, nonce=n, qop=auth-int")
        }
        #expect(try await test.session.get("http://h/").status == .ok)
    }

    @Test func failsToHashABodyThatCanBeReadOnlyOnce() async throws {
        let test = GuardedSession(.ada) { _ in .challenge("Digest realm=a, nonce=n, qop=auth-int") }
        let body = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        let error = try await #require(throws: ApusError.self) { try await test.session.post("http://h/", body: body) }
        #expect(error.code == .bodyNotReplayable)
        #expect(error.detail.contains("auth-int"))
    }

    @Test func neverRevealsThePassword() async throws {
        let monitor = RecordingEventMonitor()
        let test = GuardedSession(
            CredentialSource { _ in .user("ada", password: "sesame") },
            configuring: { $0.eventMonitors = [monitor] },
            respondingWith: { request in
                #expect(request.fields.map(\.value).allSatisfy { !$0.contains("sesame") })
                return request.knows("sesame") ? MockResponse() : .challenge(Self.digest())
            }
        )
        let response = try await test.session.get("http://h/")
        var dumped = ""
        dump(response.metrics, to: &dumped)
        for (_, event) in monitor.events {
            dump(event, to: &dumped)
            dumped += event.description
        }
        for text in [dumped, "\(response)", "\(test.transport.requests)"] { #expect(!text.contains("sesame")) }
    }
}
