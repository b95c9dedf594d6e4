internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RedirectMiddlewareTests {
    private static func moved(_ location: String?, status: Int = 302) -> MockResponse {
        var response = MockResponse(status: .init(code: status), body: "moved")
        response.fields[.location] = location
        return response
    }

    /// A session that redirects from `/` to `location`, and responds to all other paths.
    private func session(_ location: String?, status: Int = 302) -> TestSession {
        TestSession { request in
            request.target.path == "/" ? Self.moved(location, status: status) : MockResponse(body: "there")
        }
    }

    // MARK: Methods

    static let methods: [(Int, HTTPRequest.Method, HTTPRequest.Method)] = [
        (301, .get, .get), (301, .head, .head), (301, .post, .get), (301, .put, .put), (301, .delete, .delete),
        (302, .get, .get), (302, .head, .head), (302, .post, .get), (302, .put, .put), (302, .patch, .patch),
        (303, .get, .get), (303, .head, .head), (303, .post, .get), (303, .put, .get), (303, .delete, .get),
        (307, .get, .get), (307, .head, .head), (307, .post, .post), (307, .put, .put), (307, .delete, .delete),
        (308, .get, .get), (308, .head, .head), (308, .post, .post), (308, .put, .put), (308, .patch, .patch),
    ]

    @Test(arguments: methods)
    func keepsOrChangesTheMethod(status: Int, method: HTTPRequest.Method, expected: HTTPRequest.Method) async throws {
        let test = session("/there", status: status)
        let hasBody = ![.get, .head].contains(method)
        var fields: HTTPFields = [.accept: "a/b", .contentType: "c/d", .contentLanguage: "en", .contentEncoding: "x"]
        fields[.expect] = "100-continue"
        let request = try RequestMessage(
            "http://h/",
            method: method,
            fields: RequestFields(fields),
            body: hasBody ? .string("x") : .none
        )
        #expect(try await test.session.send(request).status == .ok)
        let second = try #require(test.transport.requests.last)
        #expect(test.transport.requests.count == 2)
        #expect(second.method == expected)
        let keepsBody = hasBody && expected == method
        #expect(second.body.isNone == !keepsBody)
        if hasBody { #expect((second.fields[.contentType] != nil) == keepsBody) }
        if hasBody, !keepsBody {
            let content: [HTTPField.Name] = [.contentType, .contentLanguage, .contentEncoding, .expect]
            for name in content { #expect(second.fields[name] == nil, "\(name)") }
        }
        #expect(second.fields[.accept] == "a/b")
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 309, 399, 401, 503])
    func followsNoOtherStatus(status: Int) async throws {
        let test = session("/there", status: status)
        #expect(try await test.session.get("http://h/").status.code == status)
        #expect(test.transport.requests.count == 1)
    }

    // MARK: Credentials

    private static let credentials: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization, .origin]

    static let destinations: [(String, String, Bool)] = [
        ("https://a.example/", "/b", true), ("https://a.example/", "https://a.example:443/b", true),
        ("https://a.example/", "HTTPS://A.EXAMPLE/b", true), ("https://a.example/", "//a.example/b", true),
        ("https://a.example/", "https://a.example:8443/b", false), ("https://a.example/", "https://b.example/b", false),
        ("https://a.example/", "https://sub.a.example/b", false),
        ("https://sub.a.example/", "https://a.example/b", false),
        ("https://a.example/", "//b.example/b", false), ("http://a.example/", "https://a.example/b", false),
        ("https://a.example/", "http://a.example/b", false), ("http://a.example:8080/", "http://a.example/b", false),
        ("https://a.example/", "https://a.example./b", false),
        ("https://a.example/", "https://a.example@b.example/b", false),
    ]

    /// Parity: AF-redirect-privacy
    @Test(arguments: destinations)
    func dropsCredentialsWhenTheOriginChanges(from: String, to: String, isKept: Bool) async throws {
        let test = session(to)
        var fields: HTTPFields = [.accept: "a/b", .userAgent: "me"]
        for name in Self.credentials { fields[name] = "sesame" }
        for name in ["Host", "X-API-Key", "x-auth-token", "X-Amz-Security-Token", "X-CSRF-Token"] {
            fields[try #require(HTTPField.Name(name))] = "sesame"
        }
        _ = try await test.session.get(
            from,
            fields: RequestFields(fields),
            options: [RedirectPolicy.follow(allowsDowngrade: true)]
        )
        let second = try #require(test.transport.requests.last)
        #expect(second.target.path == "/b")
        for name in Self.credentials { #expect((second.fields[name] == "sesame") == isKept, "\(name)") }
        #expect(second.fields.count { $0.value == "sesame" } == (isKept ? Self.credentials.count + 5 : 0))
        #expect(second.fields[.accept] == "a/b")
        #expect(second.fields[.userAgent] == "me")
    }

    @Test func doesNotRestoreCredentialsWhenReturning() async throws {
        let test = TestSession { request in
            switch request.target.uri {
            case "http://a/": Self.moved("http://b/")
            case "http://b/": Self.moved("http://a/c")
            default: MockResponse()
            }
        }
        _ = try await test.session.get("http://a/", fields: [.authorization: "sesame"])
        #expect(test.transport.requests.map { $0.fields[.authorization] } == ["sesame", nil, nil])
    }

    @Test func keepsUserInformationWithItsOrigin() async throws {
        let test = TestSession { request in
            switch request.target.uri {
            case "http://a/": Self.moved("/b")
            case "http://a/b": Self.moved("http://evil:pw@a/c")
            case "http://a/c": Self.moved("http://evil:pw@b/")
            default: MockResponse()
            }
        }
        _ = try await test.session.get("http://user:pw@a/")
        let own = "Basic " + Data("user:pw".utf8).base64EncodedString()
        #expect(test.transport.requests.map { $0.fields[.authorization] } == [own, own, own, nil])
        #expect(test.transport.requests.last?.target.userInformation == nil)
    }

    /// Credentials in the session's default fields are meant for the origin of the original target.
    @Test func dropsCredentialsOfTheSessionToo() async throws {
        let test = TestSession {
            for name in Self.credentials { $0.fields[name] = "sesame" }
        } responding: { request in
            switch request.target.uri {
            case "http://a/": Self.moved("/b")
            case "http://a/b": Self.moved("http://b/")
            default: MockResponse()
            }
        }
        _ = try await test.session.get("http://a/")
        for name in Self.credentials {
            #expect(test.transport.requests.map { $0.fields[name] } == ["sesame", "sesame", nil], "\(name)")
        }
        #expect(test.transport.requests.last?.fields[.userAgent]?.hasSuffix("Apus/\(ApusVersion.current)") == true)
    }

    // MARK: Limits

    /// A session that redirects `count` times.
    private func countdown(_ count: Int) -> TestSession {
        TestSession { request in
            let step = Int(request.target.path.dropFirst()) ?? 0
            return step < count ? Self.moved("/\(step + 1)") : MockResponse(body: "end")
        }
    }

    @Test func followsTwentyRedirectsAndNoMore() async throws {
        let response = try await countdown(20).session.get("http://h/0")
        #expect(try response.string() == "end")
        #expect(response.metrics.redirectCount == 20)
        #expect(response.target.path == "/20")
        let test = countdown(21)
        let error = try #require(await failure { try await test.session.get("http://h/0") })
        #expect(error.code == .tooManyRedirects)
        #expect(error.detail.contains("20"))
        #expect(error.hint?.contains("RedirectPolicy.follow(limit:)") == true)
        #expect(error.responseCode == 302)
        #expect(error.exchanges.count == 21)
        #expect(error.url == "http://h/20")
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [(1, 1, true), (1, 2, false), (3, 3, true), (3, 4, false), (100, 100, true)])
    func followsAsManyAsTheLimitAllows(limit: Int, count: Int, arrives: Bool) async throws {
        let test = countdown(count)
        let error = await failure {
            try await test.session.get("http://h/0", options: [RedirectPolicy.follow(limit: limit)])
        }
        #expect(error?.code == (arrives ? nil : .tooManyRedirects))
        let configured = TestSession(configuring: { $0.redirects = .follow(limit: limit) }) { request in
            let step = Int(request.target.path.dropFirst()) ?? 0
            return step < count ? Self.moved("/\(step + 1)") : MockResponse(body: "end")
        }
        let other = await failure { try await configured.session.get("http://h/0") }
        #expect(other?.code == (arrives ? nil : .tooManyRedirects))
    }

    @Test(arguments: [RedirectPolicy.refuse, .follow(limit: 0), .follow(limit: -1)])
    func returnsTheRedirectIfNotFollowed(policy: RedirectPolicy) async throws {
        let response = try await session("/there").session.get("http://h/", options: [policy])
        #expect(response.status == .found)
        #expect(response.fields[.location] == "/there")
        #expect(try response.string() == "moved")
    }

    @Test func followsForASingleRequestIfTheSessionDoesNot() async throws {
        let test = TestSession {
            $0.redirects = .refuse
        } responding: {
            $0.target.path == "/" ? Self.moved("/b") : MockResponse()
        }
        #expect(try await test.session.get("http://h/").status == .found)
        #expect(try await test.session.get("http://h/", options: [RedirectPolicy.follow]).status == .ok)
    }

    /// Sites set a cookie and redirect to the same page, so repeated targets are allowed up to the limit.
    @Test(arguments: [2, 3, 20]) func followsRedirectsToTheSameTarget(count: Int) async throws {
        let visits = Counter()
        let test = TestSession { _ in visits.next() < count ? Self.moved("/") : MockResponse(body: "welcome") }
        let response = try await test.session.get("http://h/")
        #expect(try response.string() == "welcome")
        #expect(response.redirects.count == count)
        try await assertNothingLeft(test.session)
    }

    @Test func followsRedirectsToTheSameTargetsUpToItsLimit() async throws {
        let test = TestSession { _ in Self.moved("/?secret=x") }
        let error = try #require(await failure { try await test.session.get("http://h/") })
        #expect(error.code == .tooManyRedirects)
        #expect(!error.description.contains("secret=x"))
        #expect(test.transport.requests.count == 21)
        let pair = TestSession { $0.target.path == "/a" ? Self.moved("/b") : Self.moved("/a") }
        let options: RequestOptions = [RedirectPolicy.follow(limit: 5)]
        #expect(await failure { try await pair.session.get("http://h/a", options: options) }?.code == .tooManyRedirects)
        #expect(pair.transport.requests.count == 6)
        try await assertNothingLeft(test.session)
    }

    /// A page redirects to a login page once, which redirects back to it.
    @Test func followsARedirectBackToAVisitedPage() async throws {
        let visits = LockedList<Int>()
        let test = TestSession { request in
            guard request.target.path == "/" else { return Self.moved("/") }
            visits.append(1)
            return visits.count == 1 ? Self.moved("/login") : MockResponse(body: "welcome")
        }
        #expect(try await test.session.get("http://h/").string() == "welcome")
    }

    // MARK: Locations

    static let locations: [(String, String)] = [
        ("b", "http://h/a/b"), ("/b?c", "http://h/b?c"), ("?x", "http://h/a/?x"), ("../b", "http://h/b"),
        ("//i/b", "http://i/b"), ("http://i:81/b", "http://i:81/b"), ("b#fragment", "http://h/a/b"),
        (" b ", "http://h/a/b"),
        ("b c/ü", "http://h/a/b%20c/%C3%BC"), ("http://bücher.de/", "http://xn--bcher-kva.de/"),
        ("HTTP://I/", "http://i/"), ("\\\\i\\b", "http://h/a///i/b"), ("..", "http://h/"), ("./b", "http://h/a/b"),
        ("../../b", "http://h/b"), ("/b/../c", "http://h/c"), ("?", "http://h/a/?"), (";b", "http://h/a/;b"),
        ("//i", "http://i/"), ("://i", "http://h/a/://i"), ("#", "http://h/a/"), ("b?c#?d", "http://h/a/b?c"),
    ]

    @Test(arguments: locations)
    func resolvesTheLocation(location: String, expected: String) async throws {
        let visits = LockedList<Int>()
        let test = TestSession { _ in
            visits.append(1)
            return visits.count == 1 ? Self.moved(location) : MockResponse()
        }
        #expect(try await test.session.get("http://h/a/").target.uri == expected)
    }

    /// The octets of a Location are percent-encoded as they are, RFC 3986 §2.5.
    static let octets: [(location: [UInt8], expected: String)] = [
        (Array("/a b".utf8) + [0xC3, 0xA9, 0xFF] + Array("\"<>".utf8), "http://h/a%20b%C3%A9%FF%22%3C%3E"),
        (Array("/caf".utf8) + [0xE9], "http://h/caf%E9"),
        (Array("caf".utf8) + [0xE9] + Array("?b=".utf8) + [0xFF], "http://h/a/caf%E9?b=%FF"),
        (Array("http://i/".utf8) + [0xE9], "http://i/%E9"),
        (Array("http://b".utf8) + [0xC3, 0xBC] + Array("cher.de/".utf8) + [0xFC], "http://xn--bcher-kva.de/%FC"),
    ]

    @Test(arguments: octets)
    func keepsTheOctetsOfTheLocation(row: (location: [UInt8], expected: String)) async throws {
        let visits = Counter()
        let test = TestSession { _ in
            guard visits.next() == 0 else { return MockResponse() }
            var response = MockResponse(status: .found)
            response.fields.append(HTTPField(name: .location, value: row.location))
            return response
        }
        #expect(try await test.session.get("http://h/a/").target.uri == row.expected)
    }

    /// Two Locations that differ in one octet would look the same after their repair.
    @Test(arguments: [[[0x2F, 0xE9], [0x2F, 0xE8]], [Array("http://h".utf8) + [0xE9, 0x2F]]] as [[[UInt8]]])
    func rejectsLocationsWithAmbiguousOctets(locations: [[UInt8]]) async throws {
        let test = TestSession { request in
            guard request.target.path == "/" else { return MockResponse() }
            var response = MockResponse(status: .found)
            for location in locations { response.fields.append(HTTPField(name: .location, value: location)) }
            return response
        }
        #expect(await failure { try await test.session.get("http://h/") }?.code == .redirectInvalid)
        #expect(test.transport.requests.count == 1)
    }

    /// RFC 9110 §10.2.2: a Location without a fragment inherits that of the original URI. Fragments are ignored here,
    /// because a target has only the parts of a URI that are sent.
    @Test(arguments: ["/b", "/b#theirs"])
    func ignoresFragments(location: String) async throws {
        let test = session(location)
        let response = try await test.session.get("http://h/#mine")
        #expect(response.target.uri == "http://h/b")
        #expect(response.redirects.map(\.target.uri) == ["http://h/"])
        #expect(test.transport.requests.map(\.target.uri) == ["http://h/", "http://h/b"])
    }

    /// An empty reference is the same document, RFC 3986 §4.4.
    @Test func resolvesAnEmptyLocationToTheSameTarget() async throws {
        let test = TestSession { $0.method == .post ? Self.moved("", status: 303) : MockResponse(body: "here") }
        #expect(try await test.session.post("http://h/a?b", body: .string("x")).string() == "here")
        #expect(
            test.transport.requests.map { "\($0.method) \($0.target.uri)" } == [
                "POST http://h/a?b", "GET http://h/a?b",
            ]
        )
        let ring = TestSession { _ in Self.moved("") }
        #expect(await failure { try await ring.session.get("http://h/") }?.code == .tooManyRedirects)
    }

    @Test(arguments: [(["/b", "/b"], 200), (["/b", "/c"], nil), (["/b", ""], nil)])
    func followsSeveralLocationsOnlyIfEqual(locations: [String], status: Int?) async throws {
        let test = TestSession { request in
            var response = MockResponse(status: request.target.path == "/" ? .found : .ok)
            for location in locations { response.fields.append(HTTPField(name: .location, value: location)) }
            return response
        }
        let error = await failure { try await test.session.get("http://h/") }
        #expect(error?.code == (status == nil ? .redirectInvalid : nil))
        #expect(test.transport.requests.count == (status == nil ? 1 : 2))
    }

    @Test(arguments: [
        "ftp://i/", "http://", "mailto:a@b", "http://i:x/", "http://a b/", "//", "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x", "file:///etc/passwd", "about:blank", "ws://i/", "https:", "http:///b", "blob:http://h/",
        "myapp://callback?code=1",
    ])
    func rejectsUnsupportedLocations(location: String) async throws {
        let test = session(location)
        let error = try #require(await failure { try await test.session.get("http://h/") })
        #expect(error.code == .redirectInvalid)
        #expect(error.responseCode == 302)
        #expect(error.url == "http://h/")
        try await assertNothingLeft(test.session)
    }

    private static let endless = String(repeating: "a", count: 16 << 10)

    static let quotations: [(location: String, beginning: String)] = [
        ("ftp://h/\u{9B}2J\u{202E}x", #"its Location 'ftp://h/\u{009B}2J\u{202E}x' is invalid: the scheme 'ftp' is"#),
        ("ftp://h/" + endless, "its Location 'ftp://h/\(endless.prefix(192))…' is invalid: the scheme 'ftp' is"),
        (endless + ":b", "its Location '\(endless.prefix(200))…' is invalid: the scheme 'aaa"),
    ]

    /// A server's text in an error must neither steer a terminal nor fill a log.
    @Test(arguments: quotations)
    func quotesTheBeginningOfALocation(location: String, beginning: String) async throws {
        let error = try #require(await failure { try await session(location).session.get("http://h/") })
        #expect(error.code == .redirectInvalid)
        #expect(error.detail.hasPrefix(beginning), "\(error.detail)")
        #expect(error.detail.unicodeScalars.count < 700)
    }

    @Test(arguments: [false, true]) func quotesTheBeginningOfATarget(isDowngrade: Bool) async throws {
        let location = "\(isDowngrade ? "http" : "https")://h/" + Self.endless
        let body = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        let test = TestSession { request in
            let reader = try await request.body.open()
            while try await reader.next() != nil {}
            return Self.moved(location, status: 307)
        }
        let error = try #require(await failure { try await test.session.post("https://h/", body: body) })
        #expect(error.code == (isDowngrade ? .redirectInvalid : .bodyNotReplayable))
        #expect(error.detail.contains("://h/aaa"), "\(error.detail)")
        #expect(error.detail.unicodeScalars.count < 700)
    }

    @Test func returnsARedirectWithoutALocation() async throws {
        #expect(try await session(nil).session.get("http://h/").status == .found)
    }

    @Test func showsNoSecretOfALocation() async throws {
        let error = await failure { try await session("ftp://user:sesame@i/?a=sesame").session.get("http://h/") }
        #expect(error?.code == .redirectInvalid)
        #expect(error?.debugDescription.contains("sesame") == false)
    }

    /// Parity: AF-redirect-privacy
    @Test func rejectsADowngradeToPlainHTTP() async throws {
        let error = await failure { try await session("http://h/b").session.get("https://h/") }
        #expect(error?.code == .redirectInvalid)
        #expect(error?.hint?.contains("allowsDowngrade") == true)
        let allowed = session("http://h/b")
        _ = try await allowed.session.get("https://h/", options: [RedirectPolicy.follow(allowsDowngrade: true)])
        #expect(allowed.transport.requests.count == 2)
        _ = try await session("https://h/b").session.get("http://h/")
    }

    // MARK: Bodies

    /// Parity: AF-fault-stream-again
    @Test(arguments: [(307, true), (308, true), (301, false), (303, false)])
    func needsAReplayableBody(status: Int, isNeeded: Bool) async throws {
        let test = TestSession { request in
            if case .once(let content) = request.body.storage { _ = try content.open() }
            return request.target.path == "/" ? Self.moved("/b", status: status) : MockResponse()
        }
        let body = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        let error = await failure { try await test.session.post("http://h/", body: body) }
        #expect(error?.code == (isNeeded ? .bodyNotReplayable : nil))
        if isNeeded {
            #expect(error?.detail.contains("the redirect to http://h/b needs") == true)
            #expect(error?.responseCode == status)
        }
        try await assertNothingLeft(test.session)
    }

    /// Parity: AFN-block-new-stream
    @Test func resendsAReplayableBody() async throws {
        let test = session("/b", status: 307)
        let body = RequestBody.replayable(length: 3) { AsyncStream<BodyChunk> { $0.finish() } }
        _ = try await test.session.post("http://h/", body: body)
        #expect(test.transport.requests.map(\.body.length) == [3, 3])
    }

    @Test func discardsTheBodyOfARedirect() async throws {
        let source = ScriptedBody(["a", "b"])
        let transport = BodyTransport(status: .found, fields: [.location: "/b"]) { request in
            request.target.path == "/" ? .stream(source) : .empty
        }
        let session = Session(transport: transport)
        _ = await failure { try await session.get("http://h/", options: [RedirectPolicy.follow(limit: 1)]) }
        #expect(source.discards == 1)
        #expect(source.reads == 0)
    }
}
