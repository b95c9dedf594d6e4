internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DefaultFieldsMiddlewareTests {
    private func sent(
        _ url: String = "http://h/",
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        _ configure: (inout Session.Configuration) -> Void = { _ in }
    ) async throws -> HTTPFields {
        let test = TestSession(configuring: configure) { _ in MockResponse() }
        _ = try await test.session.get(url, fields: RequestFields(fields), options: options)
        return try #require(test.transport.requests.first).fields
    }

    /// Parity: AF-headers-default, AF-session-configuration
    @Test func addsMissingFields() async throws {
        let fields = try await sent()
        #expect(fields[.accept] == "*/*")
        #expect(fields[.userAgent] == UserAgent.current.fieldValue)
        #expect(fields[.acceptLanguage] == PreferredLanguages.current.fieldValue)
    }

    @Test func sendsTheUserAgentOfTheConfiguration() async throws {
        #expect(Session.Configuration().userAgent == UserAgent.current)
        let agent = try UserAgent(product: "MyApp", version: "1.2")
        let named = try await sent { $0.userAgent = agent }
        #expect(named[values: .userAgent] == [agent.fieldValue])
        let unnamed = try await sent { $0.userAgent = nil }
        #expect(unnamed[values: .userAgent] == [])
        let own = try await sent(fields: [.userAgent: "own"]) { $0.userAgent = agent }
        #expect(own[values: .userAgent] == ["own"])
    }

    /// Parity: AF-headers-default
    @Test func keepsTheFieldsOfTheRequest() async throws {
        let fields = try await sent(fields: [.accept: "a/b", .userAgent: ""])
        #expect(fields[values: .accept] == ["a/b"])
        #expect(fields[values: .userAgent] == [""])
    }

    @Test(arguments: [
        (ResponsePriority(urgency: 1), "u=1"), (ResponsePriority(isIncremental: true), "i"),
        (ResponsePriority(urgency: 9, isIncremental: true), "u=7, i"), (ResponsePriority(urgency: -1), "u=0"),
        (ResponsePriority(), nil),
    ])
    func addsThePriorityOfTheResponse(_ priority: ResponsePriority, _ value: String?) async throws {
        #expect(try await sent(options: [priority])[.priority] == value)
        #expect(try await sent(fields: [.priority: "u=5"], options: [priority])[.priority] == "u=5")
    }

    /// Parity: AF-headers-default
    @Test func addsTheFieldsOfTheConfiguration() async throws {
        let fields = try await sent {
            $0.fields = [.acceptLanguage: "sw"]
            $0.fields.append(HTTPField(name: .acceptLanguage, value: "en"))
        }
        #expect(fields[.accept] == nil)
        #expect(fields[.userAgent] == nil)
        #expect(fields[values: .acceptLanguage] == ["sw", "en"])
        let other = try await sent(fields: [.from: "me"]) {
            $0.fields = [.acceptLanguage: "sw"]
            $0.fields.append(HTTPField(name: .acceptLanguage, value: "en"))
        }
        #expect(other[values: .acceptLanguage] == ["sw", "en"])
        #expect(other[.from] == "me")
    }

    @Test func putsDefaultFieldsFirst() async throws {
        let fields = try await sent(fields: [.from: "me", .accept: "a/b", .te: "trailers"]) {
            $0.fields = [.userAgent: "swift", .accept: "*/*", .acceptLanguage: "sw"]
        }
        #expect(Array(fields.map(\.name)) == [.userAgent, .acceptLanguage, .acceptEncoding, .from, .accept, .te])
    }

    // MARK: Accept-Encoding

    /// Parity: AF-headers-accept-encoding
    @Test func sendsTheSupportedContentCodings() async throws {
        #expect(try await sent()[values: .acceptEncoding] == ["gzip, deflate"])
        #expect(try await sent(fields: [.from: "me"])[values: .acceptEncoding] == ["gzip, deflate"])
    }

    @Test(arguments: ["gzip", "identity", "br;q=1.0", ""])
    func keepsAnExplicitAcceptEncoding(value: String) async throws {
        #expect(try await sent(fields: [.acceptEncoding: value])[values: .acceptEncoding] == [value])
        #expect(try await sent { $0.fields = [.acceptEncoding: value] }[values: .acceptEncoding] == [value])
    }

    @Test func sendsNoAcceptEncodingWithARange() async throws {
        #expect(try await !sent(fields: [.range: "bytes=0-99"]).contains(.acceptEncoding))
    }

    @Test func sendsNoAcceptEncodingIfDecodingIsOff() async throws {
        #expect(try await !sent { $0.contentDecoding = .off }.contains(.acceptEncoding))
        #expect(try await !sent(options: [ContentDecoding.off]).contains(.acceptEncoding))
        let own = try await sent(options: [ContentDecoding.automatic]) { $0.contentDecoding = .off }
        #expect(own.contains(.acceptEncoding))
    }

    // MARK: Trailer

    @Test func announcesTrailersThatAreKnownInAdvance() async throws {
        let body = RequestBody.string("a")
        let known = body.withTrailers(["X-A": "1", "X-B": "2", "x-a": "3"])
        let cases: [(RequestBody, RequestFields, String?)] = [
            (body, [:], nil), (known, [:], "X-A, X-B"), (known, [.trailer: "X-C"], "X-C"),
            (body.withTrailers([:]), [:], nil), (body.withTrailers { ["X-A": "1"] }, [:], nil),
        ]
        for (body, fields, expected) in cases {
            let test = TestSession { _ in MockResponse() }
            _ = try await test.session.post("http://h/", fields: fields, body: body)
            let request = try #require(test.transport.requests.first)
            #expect(request.fields[.trailer] == expected)
        }
    }

    @Test func rejectsInvalidTrailersThatAreKnownInAdvance() async throws {
        let test = TestSession { _ in MockResponse() }
        let body = RequestBody.string("a").withTrailers(["a b": "c"])
        #expect(await failure { try await test.session.post("http://h/", body: body) }?.code == .invalidField)
        #expect(test.requestCount == 0)
    }

    // MARK: Credentials of a URL

    static let credentials: [(String, String?)] = [
        ("http://h/", nil), ("http://@h/", nil), ("http://user:pw@h/", "user:pw"), ("http://user@h/", "user:"),
        ("http://us%65r:p%40%C3%BC@h/", "user:p@ü"), ("http://:pw@h/", ":pw"),
    ]

    @Test(arguments: credentials)
    func sendsTheCredentialsOfTheURL(url: String, credentials: String?) async throws {
        let expected = credentials.map { "Basic " + Data($0.utf8).base64EncodedString() }
        #expect(try await sent(url)[.authorization] == expected)
        #expect(try await sent(url, fields: [.from: "me"])[.authorization] == expected)
    }

    @Test func prefersTheCredentialsOfTheRequest() async throws {
        #expect(
            try await sent("http://user:pw@h/", fields: [.authorization: "mine"])[values: .authorization] == ["mine"]
        )
    }

    /// RFC 7617 §2 forbids a colon in the user name, and control characters.
    @Test(arguments: ["http://a%3Ab:c@h/", "http://a%07:c@h/", "http://a:c%0A@h/"])
    func rejectsInvalidCredentials(url: String) async throws {
        #expect(await failure { try await sent(url) }?.code == .invalidField)
    }
}
