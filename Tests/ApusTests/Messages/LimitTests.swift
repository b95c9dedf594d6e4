import Apus
import ApusTestServer
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// A value equal to a limit is accepted. A value one above it fails with the error for that limit.
@Suite struct LimitTests {
    // MARK: Limits of a response

    struct Bound: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Int
        /// Returns a response whose limited property has the given size.
        let response: @Sendable (Int) -> String
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let bounds: [Bound] = [
        Bound(testDescription: "responseHeadBytes", limit: 64 << 10) { size in
            let field = "A: " + String(repeating: "x", count: 16_002) + "\r\n"
            let ahead = "HTTP/1.1 204 OK\r\n" + String(repeating: field, count: 4)
            return ahead + "A: " + String(repeating: "x", count: size - ahead.utf8.count - 7) + "\r\n\r\n"
        },
        Bound(testDescription: "fieldBytes", limit: 16 << 10) { size in
            "HTTP/1.1 204 OK\r\nA: " + String(repeating: "x", count: size - 3) + "\r\n\r\n"
        },
        Bound(testDescription: "fieldBytes of a status line", limit: 16 << 10) { size in
            "HTTP/1.1 204 " + String(repeating: "x", count: size - 13) + "\r\n\r\n"
        },
        Bound(testDescription: "fieldCount", limit: 256) { count in
            "HTTP/1.1 204 OK\r\n" + String(repeating: "A: b\r\n", count: count) + "\r\n"
        },
        Bound(testDescription: "informationalResponses", limit: 32) { count in
            String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: count) + "HTTP/1.1 204 OK\r\n\r\n"
        },
        Bound(testDescription: "chunkSizeLineBytes", limit: 64) { size in
            chunked + "0;" + String(repeating: "x", count: size - 2) + "\r\n\r\n"
        },
        Bound(testDescription: "trailerBytes", limit: 16 << 10) { size in
            let ahead = "A: " + String(repeating: "x", count: 8_000) + "\r\n"
            return chunked + "0\r\n" + ahead + "A: " + String(repeating: "x", count: size - 8_005 - 7) + "\r\n\r\n"
        },
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, bounds)
    func limitsAResponse(wire: Wire, bound: Bound) async throws {
        let within = try await wire.outcome(of: .responding(with: bound.response(bound.limit)))
        #expect(within.code == nil)
        let beyond = try await wire.outcome(of: .responding(with: bound.response(bound.limit + 1)))
        #expect(beyond.code == .responseTooLarge)
        #expect(beyond.error?.phase == .receive)
        #expect(beyond.error?.hint == "raise limits.\(bound.testDescription.prefix { $0 != " " })")
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, ["/bytes", "/chunked"])
    func limitsABodyInMemory(wire: Wire, path: String) async throws {
        try await wire.with(configuration: wire.configured { $0.limits.collectedBodyBytes = 1000 }) { server, session in
            for form in [Form.direct, .handle] {
                let within = await form.outcome(of: try RequestMessage(server.url("\(path)/1000")), on: session)
                #expect(try within.get().count == 1000)
                let beyond = await form.outcome(of: try RequestMessage(server.url("\(path)/1001")), on: session)
                #expect(beyond.code == .bodyTooLarge)
            }
            let streamed = await Form.stream.outcome(of: try RequestMessage(server.url("\(path)/1001")), on: session)
            #expect(try streamed.get().count == 1001)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [0, 1000])
    func limitsTheBodyOfARejectedResponse(limit: Int) async throws {
        let behavior = TestServer.Behavior.handler { _ in TestResponse(status: 500, body: .pattern(count: 100_000)) }
        try await Wire.plain.with(behavior, configuration: Wire.plain.configured { $0.limits.errorBodyBytes = limit }) {
            server,
            session in
            let error = await session.request(server.url("/")).validate().serializingData().result.error
            #expect(error?.code == .unacceptableStatus)
            #expect(error?.data?.count == limit)
            _ = try await session.get(server.url("/"))
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func limitsTheExpansionOfABody(wire: Wire) async throws {
        let count = 1_200_000
        let coded = try await Wire.plain.with { server, session in
            try await session.get(server.url("/gzip/\(count)"), options: [ContentDecoding.off]).data
        }
        let response = TestResponse(fields: [("Content-Encoding", "gzip")], body: .bytes(Array(coded)))
        let ratio = count / coded.count
        for form in Form.allCases {
            for (limit, floor, code) in [
                (ratio + 1, 1 << 20, nil), (ratio - 1, 1 << 20, ApusError.Code.expansionLimit), (ratio - 1, count, nil),
            ] {
                try await wire.with(
                    .handler { _ in response },
                    configuration: wire.configured {
                        $0.limits.expansionRatio = limit
                        $0.limits.expansionFloorBytes = floor
                    }
                ) { server, session in
                    let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
                    #expect(outcome.code == code)
                    if code == nil { #expect(outcome.value?.count == count) }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func limitsTheNumberOfStackedCodings(form: Form) async throws {
        let behavior = TestServer.Behavior.handler { request in
            let count = Int(request.path.dropFirst()) ?? 0
            let codings = [String](repeating: "gzip", count: count).joined(separator: ", ")
            let body = StoredGzip.coded(Array("hello".utf8), times: count)
            return TestResponse(fields: [("Content-Encoding", codings)], body: .bytes(body))
        }
        try await Wire.plain.with(behavior) { server, session in
            let within = await form.outcome(of: try RequestMessage(server.url("/5")), on: session)
            #expect(try within.get() == Data("hello".utf8))
            let beyond = await form.outcome(of: try RequestMessage(server.url("/6")), on: session)
            #expect(beyond.code == .contentCodingUnsupported)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func limitsRedirects(wire: Wire, form: Form) async throws {
        try await wire.with { server, session in
            let within = await form.outcome(of: try RequestMessage(server.url("/redirect/20")), on: session)
            #expect(within.code == nil)
            let beyond = await form.outcome(of: try RequestMessage(server.url("/redirect/21")), on: session)
            #expect(beyond.code == .tooManyRedirects)
        }
    }

    // MARK: Limits of a session

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func limitsRequestsInFlight(form: Form) async throws {
        let release = Gate()
        let behavior = TestServer.Behavior.handler { _ in
            await release.wait()
            return .text("hi")
        }
        try await Wire.plain.with(behavior, configuration: Wire.plain.configured { $0.requestsInFlight = 3 }) {
            server,
            session in
            let message = try RequestMessage(server.url("/"))
            let tasks = (0..<5).map { _ in form.start(message, on: session) }
            while session.requestCounts.waiting < 2 { await Task.yield() }
            #expect(session.requestCounts.inFlight == 3)
            #expect(session.requestCounts.waiting == 2)
            await server.waitForRequests(atLeast: 3)
            #expect(server.requestCount == 3)
            release.open()
            for task in tasks { #expect(await task.value.error == nil) }
            #expect(session.requestCounts.inFlight == 0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func limitsTheTotalNumberOfConnections(wire: Wire) async throws {
        let servers = [try await TestServer.start(tls: wire.tls), try await TestServer.start(tls: wire.tls)]
        var configuration = wire.configuration
        configuration.pool.connectionsTotal = 3
        let session = Session(configuration: configuration)
        let tasks = try (0..<40).map { number in
            let message = try RequestMessage(servers[number % 2].url("/get"))
            return Form.allCases[number % 3].start(message, on: session)
        }
        for task in tasks { #expect(await task.value.error == nil) }
        #expect(servers[0].openConnections + servers[1].openConnections <= 3)
        try await assertNothingLeft(session)
        for server in servers { await server.stop() }
    }

    /// The connection of one origin is busy when another origin needs one, and becomes idle only afterwards.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func closesAConnectionThatBecomesIdleForAnotherOrigin(wire: Wire) async throws {
        let release = Gate()
        let isBusy = Gate()
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        let script: Script = [.expectHead, .signal(isBusy), .wait(release), .send(response), .silence]
        let busy = try await TestServer.start(tls: wire.tls, behavior: .script(script))
        let other = try await TestServer.start(tls: wire.tls)
        let monitor = ExchangeGate(count: 2)
        var configuration = wire.configuration
        configuration.pool.connectionsTotal = 1
        configuration.eventMonitors = [monitor]
        let session = Session(configuration: configuration)
        let first = Form.direct.start(try RequestMessage(busy.url("/")), on: session)
        await isBusy.wait()
        let second = Form.direct.start(try RequestMessage(other.url("/get")), on: session)
        await monitor.gate.wait()
        await Wire.yieldToOthers()
        #expect(other.acceptedConnections == 0)
        release.open()
        #expect(await first.value.error == nil)
        #expect(await second.value.error == nil)
        try await assertNothingLeft(session)
        await busy.stop()
        await other.stop()
    }

    @Test(.timeLimit(.minutes(5)))
    func allowsAShorterTimeoutThanThoseOfQueuedRequests() async throws {
        let release = Gate()
        let isBusy = Gate()
        let script: Script = [.loop([.expectHead, .signal(isBusy), .wait(release), .send("HTTP/1.1 204 OK\r\n\r\n")])]
        try await Wire.plain.with(
            .script(script),
            configuration: Wire.plain.configured { $0.pool.connectionsPerOrigin = 1 }
        ) { server, session in
            let message = try RequestMessage(server.url("/"))
            let patient = [Form.direct.start(message, on: session), Form.direct.start(message, on: session)]
            await isBusy.wait()
            let options: RequestOptions = [RequestTimeouts(poolWait: .milliseconds(50))]
            let error = await #expect(throws: ApusError.self) {
                try await session.get(server.url("/"), options: options)
            }
            #expect(error?.code == .poolTimeout)
            release.open()
            for task in patient { #expect(await task.value.error == nil) }
        }
    }

    @Test func hasTheDocumentedDefaults() {
        let configuration = Session.Configuration()
        #expect(configuration.timeouts.connect == .seconds(10))
        #expect(configuration.timeouts.tls == .seconds(10))
        #expect(configuration.timeouts.idleRead == .seconds(60))
        #expect(configuration.timeouts.idleWrite == .seconds(60))
        #expect(configuration.timeouts.request == nil)
        #expect(configuration.timeouts.poolWait == .seconds(30))
        #expect(configuration.pool.idleTimeout == .seconds(60))
        #expect(configuration.pool.maximumAge == nil)
        #expect(configuration.pool.connectionsPerOrigin == 8)
        #expect(configuration.pool.connectionsTotal == 256)
        #expect(configuration.requestsInFlight == 256)
        #expect(configuration.redirects == .follow(limit: 20))
        #expect(configuration.limits.collectedBodyBytes == 256 << 20)
        #expect(configuration.limits.expansionRatio == 256)
        #expect(configuration.limits.expansionFloorBytes == 1 << 20)
        #expect(configuration.limits.stackedCodings == 5)
    }
}

extension Result where Failure == ApusError {
    /// The value, or `nil` for a failure.
    fileprivate var value: Success? { try? get() }
}
